"""ONNX: a file as a layer under test, run by onnxruntime or by the reference evaluator; imports them only when used."""
