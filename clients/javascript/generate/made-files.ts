import type { JsonObject, OperationObject } from '../../../src/contract/openapi/document.ts'
import { openapi } from '../../../src/contract/openapi/openapi.ts'
import type { Operation } from '../../../src/contract/operation.ts'
import { operations } from '../../../src/contract/operations.ts'
import { methodNames, writtenByHand } from './method-names.ts'
import { declarationOf, docOf, fieldsOf, typeOf } from './schema-types.ts'

const notice =
  '// Made from the contract by `node clients/javascript/generate/generate.ts`: change that, and run it again.\n\n'

/** An operation with a method in the client. */
interface Method {
  readonly resource: string
  readonly name: string
  readonly operation: Operation
  readonly described: OperationObject
  /** The type that the method returns. */
  readonly returned: string
  readonly pageOf: string | undefined
}

/** Returns the text of each file that is made from the contract, by its name in `src/contract`. */
export function madeFiles(given: readonly Operation[] = operations): Readonly<Record<string, string>> {
  // Networks differ between servers, so that their settings stay open here.
  const document = openapi({ version: '0', networks: [], operations: given })
  const schemas = document.components.schemas
  const parameters = document.components.parameters as unknown as Readonly<Record<string, Parameter>>
  const methods = given.flatMap((operation) => methodOf(operation, document.paths, schemas))
  const queries = methods.flatMap((method) => queryOf(method, parameters))
  const types = Object.entries(schemas).map(([name, schema]) => declarationOf(name, schema))
  return {
    'types.ts': `${notice}${[...types, ...queries].join('\n')}`,
    'methods.ts': `${notice}${methodsText(methods, schemas)}`,
    'operations.ts': `${notice}${tableText(methods)}`,
  }
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly schema: JsonObject
}

function methodOf(
  operation: Operation,
  paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>,
  schemas: Readonly<Record<string, JsonObject>>,
): Method[] {
  const known = methodNames as Readonly<Record<string, string | null>>
  const full = known[operation.id]
  if (full === undefined) throw new Error(`${operation.id} has no method: name one in method-names.ts`)
  if (full === null) return []
  const [resource = '', name = ''] = full.split('.')
  const described = paths[operation.path]?.[operation.method.toLowerCase()] as OperationObject
  const returned = returnedBy(operation, described)
  const fields = (schemas[returned]?.properties ?? {}) as Readonly<Record<string, JsonObject>>
  const isPaged = operation.query !== undefined && 'cursor' in operation.query.properties
  const pageOf = isPaged ? typeOf((fields.data?.items ?? {}) as JsonObject) : undefined
  return [{ resource, name, operation, described, returned, pageOf }]
}

function returnedBy(operation: Operation, described: OperationObject): string {
  if (operation.file) return 'Response'
  const kinds = Object.keys(operation.responses).map((status) => {
    const { content } = described.responses[status] as { content?: Record<string, { schema: JsonObject }> }
    if (content === undefined) return 'undefined'
    return content['application/json'] ? typeOf(content['application/json'].schema) : 'string'
  })
  return [...new Set(kinds)].join(' | ')
}

function inputOf({ operation: { query, body, form }, described }: Method): string | undefined {
  if (query) return queryName(described.operationId)
  if (!body && !form) return undefined
  const content = described.requestBody?.content
  return typeOf((content?.['application/json'] ?? content?.['multipart/form-data'])?.schema as JsonObject)
}

function queryName(id: string): string {
  return `${id[0]?.toUpperCase()}${id.slice(1)}Query`
}

/** The declaration of the query of an operation, if it has one. */
function queryOf({ operation, described }: Method, shared: Readonly<Record<string, Parameter>>): string[] {
  if (!operation.query) return []
  const all = (described.parameters ?? []) as readonly Parameter[]
  const known = all.map((one) =>
    one.$ref === undefined ? one : (shared[one.$ref.slice(one.$ref.lastIndexOf('/') + 1)] as Parameter),
  )
  const fields = known.filter((one) => one.in === 'query')
  const properties = Object.fromEntries(
    fields.map(({ name, description, schema }) => [name, { ...schema, description }]),
  )
  const required = fields.filter((one) => one.required).map(({ name }) => name)
  return [`export interface ${queryName(operation.id)} ${fieldsOf({ properties, required })}\n`]
}

function pathNames({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
}

function signatureOf(method: Method): string {
  const { operation, name, returned, pageOf } = method
  const input = inputOf(method)
  const optional = operation.query !== undefined || operation.isBodyOptional === true
  const options = operation.idempotent ? 'SendOptions' : operation.waits ? 'WaitOptions' : 'CallOptions'
  const result = pageOf === undefined ? `Promise<${returned}>` : `Pages<${pageOf}>`
  const given = operation.query ? 'query' : 'body'
  const parameters = [
    ...pathNames(operation).map((each) => `${each}: string`),
    ...(input === undefined ? [] : [`${given}${optional ? '?' : ''}: ${input}`]),
    `options?: ${options}`,
  ]
  return `  ${name}(${parameters.join(', ')}): ${result}\n`
}

function methodsText(methods: readonly Method[], schemas: Readonly<Record<string, JsonObject>>): string {
  const typed = methods.filter(({ resource, name }) => !writtenByHand.includes(`${resource}.${name}`))
  const groups = [...Map.groupBy(typed, ({ resource }) => resource)]
  const interfaces = groups.map(([resource, members]) => {
    const lines = members.map((method) => {
      const { summary, description } = method.described
      return docOf(`${summary}.\n\n${description}`, '  ') + signatureOf(method)
    })
    return `export interface ${groupName(resource)} {\n${lines.join('\n')}}\n`
  })
  const names = groups.map(([resource]) => `  readonly ${resource}: ${groupName(resource)}\n`)
  const body = `${interfaces.join('\n')}\n/** Every method that is made from an operation. */\nexport interface MadeMethods {\n${names.join('')}}\n`
  const queries = typed
    .filter(({ operation }) => operation.query)
    .map(({ operation }) => queryName(operation.id))
  const used = [...Object.keys(schemas), ...queries].filter((name) =>
    new RegExp(`\\b${name}\\b(?!\`)`).test(code(body)),
  )
  const imports = used.sort().map((name) => `  ${name},\n`)
  return (
    "import type { CallOptions, SendOptions, WaitOptions } from '../options.ts'\n" +
    "import type { Pages } from '../pages.ts'\n" +
    `import type {\n${imports.join('')}} from './types.ts'\n\n${body}`
  )
}

/** The text without its comments. */
function code(text: string): string {
  return text.replaceAll(/\/\*\*.*?\*\//gs, '')
}

function groupName(resource: string): string {
  return `${resource[0]?.toUpperCase()}${resource.slice(1)}Methods`
}

/** The table of operations: of each method its verb, its path, and a letter for each thing that is special about it. */
function tableText(methods: readonly Method[]): string {
  const groups = [...Map.groupBy(methods, ({ resource }) => resource)].map(([resource, members]) => {
    const rows = members.map(
      (method) =>
        `    ${method.name}: ['${method.operation.method}', '${method.operation.path}', '${flagsOf(method)}'],\n`,
    )
    return `  ${resource}: {\n${rows.join('')}  },\n`
  })
  return (
    "import type { OperationTable } from '../operation.ts'\n\n" +
    '/** The operations of the contract by resource and method. */\n' +
    `export const operations = {\n${groups.join('')}} as const satisfies OperationTable\n`
  )
}

function flagsOf(method: Method): string {
  const { operation, pageOf, returned } = method
  const flags = [
    operation.idempotent && 'i',
    operation.query && 'q',
    (operation.body || operation.form) && 'b',
    pageOf && 'p',
    operation.file && 'f',
    returned === 'string' && 't',
    // A state that is told with 503 is no failure of the call.
    503 in operation.responses && 'r',
  ]
  return flags.filter(Boolean).join('')
}
