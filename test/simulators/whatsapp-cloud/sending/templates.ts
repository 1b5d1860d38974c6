import { GraphError, unknownFile } from '../graph-error.ts'
import type { SentParameter, Template, TemplateComponent } from '../schemas/template.ts'
import type { BusinessNumber, TemplateRecord, World } from '../world.ts'

/** The template that a message names, if it may be sent with these parameters. Throws a GraphError. */
export function templateFor(world: World, number: BusinessNumber, asked: Template): TemplateRecord {
  const { name, language } = asked
  const found = world.templates.find(
    (one) => one.waba === number.waba && one.name === name && one.language === language.code,
  )
  if (found?.status === 'PAUSED') throw new GraphError(132015, `Template ${name} is paused.`)
  if (found?.status === 'DISABLED') throw new GraphError(132016, `Template ${name} is disabled.`)
  // One at risk is still approved.
  if (!found || !['APPROVED', 'FLAGGED'].includes(found.status))
    throw new GraphError(132001, `template name (${name}) does not exist in ${language.code}`)
  for (const component of found.components) checkComponent(component, found, asked)
  const hasButtons = found.components.some(({ type }) => type === 'BUTTONS')
  for (const { type } of asked.components ?? [])
    if (type === 'button' && !hasButtons) throw new GraphError(131009, 'buttons: The template has none.')
    else if (type !== 'button' && !found.components.some((one) => one.type.toLowerCase() === type))
      throw mismatch(type, 1, 0)
  checkFiles(world, number, asked)
  return found
}

function checkComponent(component: TemplateComponent, found: TemplateRecord, asked: Template): void {
  if (component.type === 'BUTTONS') checkButtons(component, asked)
  if (component.type !== 'HEADER' && component.type !== 'BODY') return
  const type = component.type === 'HEADER' ? 'header' : 'body'
  const own = asked.components?.filter((one) => one.type === type) ?? []
  const given = own.flatMap(({ parameters }): readonly SentParameter[] => parameters)
  const format = component.format?.toLowerCase() ?? 'text'
  if (format === 'text') checkTexts(component, type, found, given)
  else {
    if (given.length !== 1) throw mismatch(type, given.length, 1)
    checkFormat(type, given, [format])
  }
}

/** As many texts as placeholders; with names, each for one of them. */
function checkTexts(
  { text = '' }: TemplateComponent,
  type: string,
  { parameter_format }: TemplateRecord,
  given: readonly SentParameter[],
): void {
  const placeholders = new Set([...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name))
  if (given.length !== placeholders.size) throw mismatch(type, given.length, placeholders.size)
  checkFormat(type, given, type === 'header' ? ['text'] : ['text', 'currency', 'date_time'])
  const isNamed = parameter_format === 'NAMED'
  for (const parameter of given) {
    const name = 'parameter_name' in parameter ? parameter.parameter_name : undefined
    if (isNamed ? !placeholders.has(name) : name !== undefined)
      throw new GraphError(100, 'Parameter name is missing, or is none of the template.')
    if (parameter.type === 'text' && /[\n\t]| {5}/.test(parameter.text))
      throw new GraphError(
        132018,
        'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
      )
  }
  const words = given.map((one) => ('text' in one ? one.text : ''))
  const longest = type === 'header' ? 60 : 1024
  const length = text.replaceAll(/\{\{\w+\}\}/g, '').length + words.join('').length
  if (length > longest)
    throw new GraphError(132005, `${type}: Translated text too long, expected at most ${longest}`)
}

function checkFormat(type: string, given: readonly SentParameter[], formats: readonly string[]): void {
  const other = given.find((parameter) => !formats.includes(parameter.type))
  if (other)
    throw new GraphError(
      132012,
      `${type}: Format mismatch, expected ${formats[0]?.toUpperCase()}, received ${other.type.toUpperCase()}`,
    )
}

/** A URL that ends in a placeholder, and a code to copy, need a parameter; a reply may have a payload. */
function checkButtons({ buttons = [] }: TemplateComponent, asked: Template): void {
  const given = (asked.components ?? []).flatMap((one) => ('index' in one ? [one] : []))
  for (const [index, { type, url }] of buttons.entries()) {
    const own = given.find((one) => Number(one.index) === index)
    const needs = type === 'COPY_CODE' || (type === 'URL' && /\{\{1\}\}$/.test(url ?? ''))
    if (needs && !own)
      throw new GraphError(131008, `buttons: Button at index ${index} of type ${type} requires a parameter`)
    if (own && own.sub_type !== type.toLowerCase())
      throw new GraphError(132012, `button: Format mismatch at index ${index}, expected ${type}`)
  }
  const strange = given.find(({ index }) => Number(index) >= buttons.length)
  if (strange) throw new GraphError(131009, `buttons: There is no button at index ${strange.index}`)
}

/** Files by id must be of this number. */
function checkFiles(world: World, number: BusinessNumber, { components = [] }: Template): void {
  for (const parameter of components.flatMap(({ parameters }): readonly SentParameter[] => parameters)) {
    const file =
      'image' in parameter
        ? parameter.image
        : 'video' in parameter
          ? parameter.video
          : 'document' in parameter
            ? parameter.document
            : undefined
    if (!file) continue
    if ((file.id === undefined) === (file.link === undefined))
      throw new GraphError(131008, `Parameter of type ${parameter.type} needs either an id or a link.`)
    if (file.id !== undefined && world.file(file.id)?.number !== number.id) throw unknownFile(file.id)
  }
}

function mismatch(type: string, given: number, expected: number): GraphError {
  return new GraphError(
    132000,
    `${type}: number of localizable_params (${given}) does not match the expected number of params (${expected})`,
  )
}

/** The fields of a template that are asked for. Throws a GraphError. */
export function shownTemplate(template: TemplateRecord, fields: string | null): object {
  const { waba: _, ...known } = template
  const usual = ['name', 'parameter_format', 'components', 'language', 'status', 'category', 'id']
  const asked = fields?.split(',') ?? usual
  const strange = asked.find((field) => !Object.hasOwn(known, field))
  if (strange !== undefined)
    throw new GraphError(
      100,
      `Tried accessing nonexisting field (${strange}) on node type (WhatsAppMessageTemplate)`,
    )
  return Object.fromEntries([...asked, 'id'].map((field) => [field, known[field as keyof typeof known]]))
}
