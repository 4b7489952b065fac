import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { PAGES } from '../scripts/pages.ts'

for (const [file, content] of Object.entries(PAGES)) {
  it(`the committed docs/${file} equals what npm run generate writes`, () => {
    const written = readFileSync(new URL(`../docs/${file}`, import.meta.url), 'utf8')
    assert.equal(written, content())
  })
}
