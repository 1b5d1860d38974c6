import type { TProperties, TSchema, Type as TypeBox } from 'typebox'

/** The builders that the contract is written with. */
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'String'
  | 'Union'
  | 'Unsafe'
>

/** Marks a schema whose value may be missing, as TypeBox does: no copy with other options takes the mark along. */
const optional = '~optional'

/**
 * Builds the same JSON Schemas as TypeBox, with TypeBox's types. TypeBox's own builders come with all that it can do to types: 450 modules,
 * which take 10 MB of memory in every server.
 */
const Type = {
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly string[], options?: object) => ({ enum: values, ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: object) => ({ type: 'null', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Object(properties: TProperties, options?: object) {
    const required = Object.keys(properties).filter(
      (name) => !Object.hasOwn(properties[name] ?? {}, optional),
    )
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options }
  },
  Optional: (schema: TSchema) => Object.defineProperty({ ...schema }, optional, { value: true }),
  String: (options?: object) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ anyOf, ...options }),
  Unsafe: (schema: TSchema) => ({ ...schema }),
} as unknown as Builders

export default Type
