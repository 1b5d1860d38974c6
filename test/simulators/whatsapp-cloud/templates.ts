import { GraphError } from './graph-error.ts'
import type { Template } from './schemas/request.ts'
import type { TemplateComponent, TemplateRecord, World } from './world.ts'

/** The template that a message names, if it may be sent with these parameters. Throws a GraphError. */
export function templateFor(world: World, waba: string, asked: Template): TemplateRecord {
  const { name, language } = asked
  const found = world.templates.find(
    (one) => one.waba === waba && one.name === name && one.language === language.code,
  )
  if (found?.status === 'PAUSED') throw new GraphError(132015, `Template ${name} is paused.`)
  if (found?.status === 'DISABLED') throw new GraphError(132016, `Template ${name} is disabled.`)
  if (found?.status !== 'APPROVED')
    throw new GraphError(132001, `template name (${name}) does not exist in ${language.code}`)
  for (const component of found.components) checkParameters(component, asked)
  return found
}

/** Header and body have as many parameters as placeholders, or one file. */
function checkParameters(component: TemplateComponent, asked: Template): void {
  const type = component.type.toLowerCase()
  if (type !== 'header' && type !== 'body') return
  const given = asked.components?.find((one) => one.type === type)?.parameters ?? []
  const format = component.format?.toLowerCase() ?? 'text'
  const placeholders = new Set(component.text?.match(/\{\{\w+\}\}/g))
  const expected = format === 'text' ? placeholders.size : 1
  if (given.length !== expected)
    throw new GraphError(
      132000,
      `${type}: number of localizable_params (${given.length}) does not match the expected number of params (${expected})`,
    )
  const other = given.find((parameter) => parameter.type !== format)
  if (other)
    throw new GraphError(132012, `${type}: format mismatch, expected ${format}, received ${other.type}`)
}
