import type { OpenApiDocument } from '../../src/contract/openapi/document.ts'
import { openapi } from '../../src/contract/openapi/openapi.ts'
import { readConfig } from '../../src/networks/config.ts'
import { descriptionOf } from '../../src/networks/driver/description.ts'
import { makeDrivers } from '../../src/networks/drivers.ts'
import { version } from '../../src/version.ts'
import { slugOf } from '../slug.ts'
import { eventsPage, operationsOf } from './operations.ts'
import { typesPage } from './schemas.ts'

/** The contract of a server with the settings that it has by default. */
export async function contract(): Promise<OpenApiDocument> {
  const drivers = await makeDrivers(readConfig({}))
  return openapi({ version, networks: drivers.map(descriptionOf) })
}

/** A page of the reference, by its place, with the group in which it is listed. */
export interface ReferencePage {
  readonly place: string
  readonly title: string
  readonly group: string
  readonly text: string
}

/** Moves the headings of a text one level down, but for lines in code. */
function lowered(text: string): string {
  return text.replaceAll(/```[\s\S]*?\n```|^#{1,5} /gm, (found) =>
    found.startsWith('`') ? found : `#${found}`,
  )
}

/** All pages of the reference. */
export function referencePages(document: OpenApiDocument): ReferencePage[] {
  const { info, components, tags } = document
  const sections = document['x-tagGroups'].flatMap(({ name: group, tags: names }) =>
    names.map((name) => {
      const description = tags.find((tag) => tag.name === name)?.description ?? ''
      const text = `# ${name}\n\n${description}\n\n${operationsOf(name, document)}\n`
      return { place: `reference/${slugOf(name)}.md`, title: name, group, text }
    }),
  )
  const group = 'Reference'
  return [
    {
      ...{ place: 'reference/index.md', title: 'How to call it', group },
      text: `# How to call it\n\nA program finds the same in [the OpenAPI document](/openapi.json){target="_self"}.\n\n${lowered(String(info.description))}\n`,
    },
    ...sections,
    { ...{ place: 'reference/event-types.md', title: 'Types of events', group }, text: eventsPage(document) },
    { ...{ place: 'reference/types.md', title: 'Types', group }, text: typesPage(components.schemas) },
  ]
}

/** The navigation of the reference. */
export function referenceSidebar(pages: readonly ReferencePage[]): object[] {
  const groups = Map.groupBy(pages, ({ group }) => group)
  return [...groups].map(([group, own]) => ({
    text: group === 'Reference' ? group : `Reference: ${group.toLowerCase()}`,
    collapsed: group !== 'Reference',
    items: own.map(({ title, place }) => ({
      text: title,
      link: `/${place.replace(/(index)?\.md$/, '')}`,
    })),
  }))
}
