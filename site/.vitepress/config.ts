import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'
import { slugOf } from '../slug.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../pages/${name}`, import.meta.url), 'utf8'))

export default defineConfig({
  title: 'Posthorn',
  description: 'A self-hosted messaging gateway',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.cache/vitepress',
  lang: 'en',
  // The pages work at any path, and from a server that knows no rewriting.
  cleanUrls: false,
  themeConfig: {
    sidebar: read('sidebar.json'),
    outline: [2, 3],
    search: { provider: 'local' },
  },
  markdown: {
    // As on GitHub, so that links to headings work in both places.
    anchor: { slugify: slugOf },
    config(md) {
      // Pages are texts: neither tags nor braces in them mean anything to the generator.
      md.set({ html: false })
      md.renderer.rules.text = (tokens, at) =>
        md.utils.escapeHtml(tokens[at]?.content ?? '').replaceAll('{{', '&#123;&#123;')
    },
  },
})
