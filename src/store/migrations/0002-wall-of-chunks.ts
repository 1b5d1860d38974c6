import { sql as raw } from 'kysely'
import { rawSql } from '../statement.ts'
import { ofRow } from './first/walls.ts'
import type { Migration } from './migration.ts'

/** Lets callers see the bytes of their large files, and of no others; SQLite has neither such files nor walls. */
export const wallOfChunks: Migration = {
  name: '0002-wall-of-chunks',
  kind: 'expands',
  statements({ dialect, sql }) {
    if (dialect.name !== 'postgres') return []
    const condition = ofRow('media', 'id', 'media_chunks.media_id')
    const policy = `create policy callers on media_chunks for select using (${condition})`
    return [{ compile: () => raw`${rawSql(policy)}`.compile(sql) }]
  },
}
