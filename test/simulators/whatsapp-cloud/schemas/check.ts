import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export interface SchemaFault {
  /** The keyword of JSON Schema that refused it, or `rule` for one that a schema cannot say. */
  readonly keyword: string
  /** Place of the fault, as a JSON pointer; for a missing or unexpected field, that of the object. */
  readonly pointer: string
  readonly message: string
}

/** Compiles a schema once; the function names everything that does not fit. */
export function checker(schema: TSchema): (value: unknown) => SchemaFault[] {
  const compiled = Compile(schema)
  return (value) => {
    if (compiled.Check(value)) return []
    return compiled.Errors(value).map(({ keyword, instancePath, message, params }) => ({
      keyword: keyword === 'boolean' ? 'additionalProperties' : keyword,
      pointer: instancePath,
      message: `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
    }))
  }
}
