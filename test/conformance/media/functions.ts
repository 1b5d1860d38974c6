import { mediaFunctions, releaseMedia, takeMedia } from '../../../src/media/media-record.ts'
import { read, type StoreFunctions, transaction } from '../../../src/store/store.ts'

/** Accepts a message that uses a file, as far as the file is concerned. */
export const accept = transaction('test.accept', takeMedia)

/** Settles a message that uses a file, as far as the file is concerned. */
export const settle = transaction('test.settle', releaseMedia)

/** Loses the bytes of a small file, as if they had never been in the store. */
export const forgetSmall = transaction('test.forget-small', async (tx, { id }: { id: string }) => {
  await tx.run(tx.sql.deleteFrom('small_files').where('media_id', '=', id))
})

/** Counts the records that are left of all files. */
export const countRecords = read('test.count', async (reader, _: null) => {
  const count = async (table: 'media' | 'media_uses') => {
    const query = reader.sql.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'))
    return Number((await reader.first(query))?.count)
  }
  return { files: await count('media'), uses: await count('media_uses') }
})

/** The files that are registered, whether a message uses them or not. */
export const listRecords = read('test.list', (reader, _: null) =>
  reader.all(reader.sql.selectFrom('media').select(['id', 'size', 'sha256'])),
)

export const functions: StoreFunctions = {
  reads: [...mediaFunctions.reads, countRecords, listRecords],
  transactions: [
    ...mediaFunctions.transactions,
    accept,
    settle,
    forgetSmall,
  ] as unknown as StoreFunctions['transactions'],
}
