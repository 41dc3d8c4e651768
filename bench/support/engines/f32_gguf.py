"""Writes a GGUF file anew with all its weights as f32: `f32_gguf.py from.gguf to.gguf`"""

import sys

from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, LlamaFileType
from gguf.quants import dequantize

source, target = sys.argv[1:]
reader = GGUFReader(source)
writer = GGUFWriter(target, reader.get_field("general.architecture").contents())
writer.add_file_type(LlamaFileType.ALL_F32)
written = {"general.architecture", "general.file_type"}
for field in reader.fields.values():
    if field.name in written or field.name.startswith("GGUF."):
        continue
    is_array = field.types[0] == GGUFValueType.ARRAY
    writer.add_key_value(field.name, field.contents(), field.types[0], field.types[-1] if is_array else None)
for tensor in reader.tensors:
    writer.add_tensor(tensor.name, dequantize(tensor.data, tensor.tensor_type), raw_dtype=GGMLQuantizationType.F32)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
