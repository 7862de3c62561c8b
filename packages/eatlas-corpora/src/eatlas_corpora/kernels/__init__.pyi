from . import compiled_contexts as compiled_contexts
