import { writeFileSync } from 'node:fs'
import { madeFiles } from './made-files.ts'

const folder = new URL('../src/contract/', import.meta.url)
for (const [name, text] of Object.entries(madeFiles())) writeFileSync(new URL(name, folder), text)
