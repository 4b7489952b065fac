// Documents name files, decisions and each other: what they name has to exist.

import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { OUTSIDE } from '../docs/.vitepress/outside.ts'
import { ROOT } from './program.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const PLACES = ['*.md', 'docs/**/*.md', 'findings/*.md', 'test/*.md']
const DOCUMENTS = globSync(PLACES, { cwd: ROOT, exclude: ['docs/node_modules/**'] }).sort()

test('every relative link of a document leads to a file or directory', () => {
  const dead = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(join(ROOT, dirname(file), target)))
      .map((target) => `${file}: ${target}`),
  )
  assert.deepEqual(dead, [])
})

test('every link to a heading of a document leads to that heading', () => {
  const dead = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(/\]\(([^)\s#:]*\.md)?#([^)]+)\)/g)]
      .filter(([, target, anchor]) => {
        const path = target ? join(dirname(file), target) : file
        return existsSync(join(ROOT, path)) && !anchorsOf(read(path)).includes(anchor!)
      })
      .map(([link]) => `${file}: ${link}`),
  )
  assert.deepEqual(dead, [])
})

test('every link of a page of the guide leads to another page, or is known to lead out of the guide', () => {
  const pages = DOCUMENTS.filter((file) => !/^(?:test|README)/.test(file))
  const dead = pages.flatMap((file) =>
    [...read(file).matchAll(/(?<!!)\[[^\]]*\]\(([^)\s#:]+)(?:#[^)]*)?\)/g)]
      .map(([, target]) => target!)
      .filter((target) => !target.endsWith('.md') && !OUTSIDE.test(target))
      .map((target) => `${file}: ${target}`),
  )
  assert.deepEqual(dead, [], 'npm run docs, and so npm run pack, refuses these')
})

test('no document links to the machine of its reader: such an address is written as code', () => {
  const links = DOCUMENTS.flatMap((file) =>
    [...read(file).matchAll(/(?:\]\(|<)https?:\/\/localhost[^)>]*/g)].map(
      ([link]) => `${file}: ${link}`,
    ),
  )
  assert.deepEqual(links, [], 'npm run docs, and so npm run pack, refuses these')
})

test('the navigation of the guide names each page', () => {
  const config = read('docs/.vitepress/config.ts')
  const guides = globSync('{*,guide/*}.md', { cwd: join(ROOT, 'docs') })
    .map((file) => file.replace(/\.md$/, ''))
    .filter((name) => name !== 'index')
  assert.ok(guides.length > 25)
  const missing = guides.filter((name) => !config.includes(`', '${name}')`))
  assert.deepEqual(missing, [])
})

/** The anchor of a heading as code hosts make it. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )

for (const file of ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'test/README.md']) {
  test(`every path that ${file} names in code style exists`, () => {
    const paths = [...read(file).matchAll(/`([\w.*-]+(?:\/[\w.*-]*)+)`/g)].map(([, path]) => path!)
    assert.ok(paths.length > 5)
    // A path may be written from the root or, in a table of src/, from there.
    const missing = paths.filter(
      (path) => globSync([path, `src/${path}`], { cwd: ROOT }).length === 0,
    )
    assert.deepEqual(missing, [])
  })
}

test('the index of decisions has each decision with its title, date and status', () => {
  const dir = 'docs/decisions'
  const files = readdirSync(join(ROOT, dir)).filter((name) => name !== 'README.md')
  const rows = files.sort().map((name) => {
    const [, number, title, date, status] =
      /^# (\d{4}): (.+)\n\nDate: (\d{4}-\d\d-\d\d)\. Status: (accepted|superseded by \d{4})\.\n\n/.exec(
        read(`${dir}/${name}`),
      ) ?? assert.fail(`${name} has no number, title, date and status`)
    // A number may be missing while its decision is on a branch.
    assert.match(name, new RegExp(`^${number}-[a-z0-9-]+\\.md$`))
    return `| [${number}](${name}) | ${title} | ${date} | ${status} |`
  })
  const numbers = new Set(files.map((name) => name.slice(0, 4)))
  assert.equal(numbers.size, files.length, 'no number occurs twice')
  const index = read(`${dir}/README.md`)
  assert.deepEqual(index.match(/^\| \[.*$/gm), rows)
})
