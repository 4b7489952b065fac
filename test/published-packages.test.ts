// Whoever takes a name that a guide installs runs code on the machines of its readers: only names that are taken, by
// packages that we know, may be in documents and examples.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ROOT } from './program.ts'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const { version, name: own } = JSON.parse(read('package.json'))
const lock: Record<string, { resolved?: string }> = JSON.parse(read('package-lock.json')).packages

/** What test/other-projects.test.ts installs from the registry, beside our package. */
const OF_OTHER_PROJECTS = [
  '@babel/core',
  '@playwright/test',
  '@react-native/babel-preset',
  '@react-native/metro-config',
  '@types/bun',
  'bun',
  'deno',
  'esbuild',
  'jest',
  'metro',
  'next',
  'playwright',
  'webpack',
  'webpack-cli',
]
/** What tests install from the registry. */
const PUBLISHED = new Set([
  ...Object.keys(lock).map((path) => path.replace(/^.*node_modules\//, '')),
  ...OF_OTHER_PROJECTS,
])
/** Programs that are in a clone, or run by npx from packages of the lock file. */
const PROGRAMS = ['node', 'vite', 'vitest', 'tsc']

const TARBALL = `${own}-${version}.tgz`
const DOCUMENTS = ['*.md', 'docs/**/*.md', 'examples/**/*', 'deploy/**/*', 'web/*.html'].flatMap(
  (pattern) =>
    globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules/**', '**/.vitepress/**'] }).filter(
      (file) => /\.(md|html|js|mjs|ts|tsx|json|yml|sh)$|Dockerfile$/.test(file),
    ),
)
const INSTALLS =
  /\b(?:npm (?:i|install|add)|pnpm (?:add|dlx)|yarn (?:add|dlx)|bun add)((?: +[^\s`'"<>|&;,()\]]+)+)/g
const RUNS = /\b(?:npx|npm exec|bunx|pnpm dlx|yarn dlx) +((?:-\S+ +)*)([a-z@][^\s`'"<>|&;,()\]]*)/g

/** Whether nobody else can decide what is installed. */
function isSafe(wanted: string): boolean {
  if (/[\\/].*\.tgz$|^file:/.test(wanted)) {
    return wanted.endsWith(TARBALL) || wanted.endsWith('*.tgz')
  }
  const name = wanted.replace(/(?<=.)@[^/]*$/, '').replace(/[.:]$/, '')
  return PUBLISHED.has(name) && name !== own
}

const isWord = (part: string) => !part.startsWith('-')

describe('packages that documents and examples name', () => {
  it('the documents install only published packages, and ours as the file that is packed', () => {
    const faults: string[] = []
    let found = 0
    for (const file of DOCUMENTS) {
      for (const [whole, packages = ''] of read(file).matchAll(INSTALLS)) {
        const names = packages.trim().split(/ +/).filter(isWord)
        found += names.length
        // After "and" or "in" a sentence goes on.
        const end = names.findIndex((one) => /^(and|in|of|once|to|for|which|with|is)$/.test(one))
        const unsafe = names.slice(0, end === -1 ? undefined : end).filter((one) => !isSafe(one))
        if (unsafe.length > 0) faults.push(`${file}: ${whole}`)
      }
    }
    assert.deepEqual(faults, [])
    assert.ok(found > 2)
  })

  it('the documents run only published programs by npx', () => {
    const faults = DOCUMENTS.flatMap((file) =>
      [...read(file).matchAll(RUNS)]
        .filter(([, , name = '']) => !PROGRAMS.includes(name) && !isSafe(name))
        .map(([whole]) => `${file}: ${whole}`),
    )
    assert.deepEqual(faults, [])
  })

  it('the examples depend on published packages, and on ours as the file that is packed', () => {
    const manifests = globSync('examples/**/package.json', { cwd: ROOT })
    assert.ok(manifests.length >= 10)
    for (const file of manifests) {
      const { dependencies = {}, devDependencies = {} } = JSON.parse(read(file))
      for (const [name, wanted] of Object.entries<string>({
        ...dependencies,
        ...devDependencies,
      })) {
        const isOurs = wanted.startsWith('file:') && isSafe(wanted)
        assert.ok(name === own ? isOurs : isSafe(name), `${file}: ${name} ${wanted}`)
      }
    }
  })
})
