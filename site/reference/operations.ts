import type {
  Components,
  JsonObject,
  JsonValue,
  MediaType,
  OpenApiDocument,
  OperationObject,
  Parameter,
  ResponseObject,
  SchemaReference,
} from '../../src/contract/openapi/document.ts'
import { cell, fieldsOf, nameIn, typeOf } from './schemas.ts'

/** A part of the document, or what a reference to it leads to. */
function found<Part>(part: Part | SchemaReference, components: Readonly<Record<string, Part>>): Part {
  if (typeof part !== 'object' || part === null || !('$ref' in part)) return part as Part
  const known = components[nameIn(part.$ref)]
  if (known === undefined) throw new Error(`the document has no ${part.$ref}`)
  return known
}

const json = (value: JsonValue) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

function parametersOf({ parameters = [] }: OperationObject, components: Components): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map((given) => {
    const { name, required, description, schema, ...parameter } = found<Parameter>(
      given,
      components.parameters,
    )
    return `| \`${name}\` | ${parameter.in} | ${cell(typeOf(schema))} | ${required ? 'yes' : 'no'} | ${cell(description)} |`
  })
  return ['| parameter | in | type | required | |', '|---|---|---|---|---|', ...rows].join('\n')
}

/** The first example of a body. */
function exampleOf({ example, examples = {} }: MediaType, components: Components): string {
  const [first] = Object.values(examples)
  const value = example ?? (first && found(first, components.examples).value)
  return value === undefined ? '' : json(value)
}

function bodyOf({ requestBody }: OperationObject, components: Components): string {
  return Object.entries(requestBody?.content ?? {})
    .map(([type, media]) => {
      const schema = found<JsonObject>(media.schema as JsonObject | SchemaReference, components.schemas)
      return [
        `**Body** (\`${type}\`): ${typeOf(media.schema)}`,
        fieldsOf(schema),
        exampleOf(media, components),
      ]
        .filter(Boolean)
        .join('\n\n')
    })
    .join('\n\n')
}

function responsesOf({ responses }: OperationObject, components: Components): string {
  return Object.entries(responses)
    .map(([status, given]) => {
      const { description, content = {} } = found<ResponseObject>(given, components.responses)
      const types = Object.entries(content).filter(([type]) => type !== 'application/problem+json')
      const body = types.map(([type, { schema }]) => `\`${type}\`: ${typeOf(schema)}`).join('; ')
      const isList = description.startsWith('- ')
      const text = isList ? `\n\n${description.replaceAll(/^/gm, '  ')}` : ` ${description}`
      return `- **${status}**${text}${body === '' ? '' : ` ${body}`}`
    })
    .join('\n')
}

/** An operation as a section of a page. */
function sectionOf(method: string, path: string, operation: OperationObject, components: Components): string {
  return [
    `## ${operation.summary}`,
    `**\`${method.toUpperCase()} ${path}\`** (\`${operation.operationId}\`)`,
    operation.description,
    parametersOf(operation, components),
    bodyOf(operation, components),
    '**Responses**',
    responsesOf(operation, components),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The operations of a section of the contract, as Markdown; empty for a section that is only text. */
export function operationsOf(tag: string, { paths, components }: OpenApiDocument): string {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.tags.includes(tag))
        .map(([method, operation]) => sectionOf(method, path, operation, components)),
    )
    .join('\n\n')
}

/** A page with every event that webhooks and the feed carry. */
export function eventsPage({ webhooks, components }: OpenApiDocument): string {
  const parts = Object.entries(webhooks).map(([type, { post }]) => {
    const [media] = Object.values(post.requestBody?.content ?? {})
    return [
      `## ${type}`,
      post.description,
      media ? `${typeOf(media.schema)}` : '',
      media ? exampleOf(media, components) : '',
    ]
      .filter(Boolean)
      .join('\n\n')
  })
  return `# Types of events\n\nThe events that the feed and webhooks carry.\n\n${parts.join('\n\n')}\n`
}
