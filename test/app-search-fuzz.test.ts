// Searches made at random: the same casts on both engines, and those that a model of the queries finds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNetwork, type Json, type Network } from './app-api-support.ts'
import { effort } from './effort.ts'
import { type Random, randomFrom, runSeed } from './random.ts'
import { ENGINES } from './world.ts'

const seed = runSeed()
console.log(`app-search-fuzz: TEST_SEED=${seed}`)

const QUERIES = effort(100, 10_000)
const CASTS = 40
/** Words that mean the same, as they are written. The first is how the model knows them. */
const WORDS: readonly (readonly string[])[] = [
  ['garden', 'Garden', 'GARDEN'],
  ['gardener', 'Gardener'],
  ['cafe', 'café', 'CAFÉ', 'ｃａｆｅ'],
  ['near', 'NEAR'],
  ['and', 'AND'],
  ['or'],
  ['not', 'NOT'],
  ['x'],
  ['日本'],
  ['привет', 'ПРИВЕТ'],
  ['👍', '👍🏽'],
  ['2026'],
]
/** Signs that mean something to one of the engines, or to the parser. */
const SIGNS = ['"', '*', '-', '|', '(', ')', '+', ':', '^', '~2', "'", '\\', '{', '&', '!', '<->']
const NOISE = [...SIGNS, ' ', ' ', '\0', '%', '_', 'words:x', ':*', 'NEAR(', ';--', '\ud83d', 'x']

type Query =
  | { readonly kind: 'word' | 'prefix'; readonly word: string }
  | { readonly kind: 'phrase'; readonly words: readonly string[] }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Query[] }
  | { readonly kind: 'not'; readonly part: Query }

const wordOf = (random: Random) => random.pick(WORDS)[0]!
const written = (word: string, random: Random) =>
  random.pick(WORDS.find(([known]) => known === word)!)

/** A query that has to have something; its parts are joined two or three at a time. */
function queryOf(random: Random, depth = 2): Query {
  const kind = random.int(depth > 0 ? 7 : 4)
  if (kind === 0) return { kind: 'prefix', word: random.pick(['gar', 'gard', 'caf', 'при']) }
  if (kind === 1) return { kind: 'phrase', words: [wordOf(random), wordOf(random)] }
  if (kind <= 3) return { kind: 'word', word: wordOf(random) }
  const parts = Array.from({ length: 2 + random.int(2) }, () => queryOf(random, depth - 1))
  if (kind === 4) return { kind: 'or', parts }
  if (kind === 5) return { kind: 'and', parts }
  const excluded: Query = { kind: 'not', part: queryOf(random, depth - 1) }
  return { kind: 'and', parts: random.shuffled([parts[0]!, excluded]) }
}

function textOf(query: Query, random: Random): string {
  switch (query.kind) {
    case 'word':
      return written(query.word, random)
    case 'prefix':
      return `${query.word}*`
    case 'phrase':
      return `"${query.words.map((word) => written(word, random)).join(' ')}"`
    case 'not':
      return `-${textOf(query.part, random)}`
    default: {
      const sign = query.kind === 'or' ? random.pick([' | ', '|']) : random.pick([' ', ' + '])
      return `(${query.parts.map((part) => textOf(part, random)).join(sign)})`
    }
  }
}

function isFound(query: Query, words: readonly string[]): boolean {
  switch (query.kind) {
    case 'word':
      return words.includes(query.word)
    case 'prefix':
      return words.some((word) => word.startsWith(query.word))
    case 'phrase':
      return words.some((word, i) => word === query.words[0] && words[i + 1] === query.words[1])
    case 'not':
      return !isFound(query.part, words)
    case 'and':
      return query.parts.every((part) => isFound(part, words))
    case 'or':
      return query.parts.some((part) => isFound(part, words))
  }
}

/** All pages of a search, or the code of its refusal. */
async function search(network: Network, q: string): Promise<string[] | string> {
  const found: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await network.get('/cast/search', { q, limit: '100', ...(cursor && { cursor }) })
    if (page.status === 400) return page.body.code
    assert.equal(page.status, 200, `${JSON.stringify(q)}: ${JSON.stringify(page.body)}`)
    found.push(...page.body.result.casts.map(({ hash }: Json) => hash))
    cursor = page.body.result.next?.cursor ?? undefined
  }
  return found
}

test(`${QUERIES} searches made at random find on both engines what a model finds, and no text is a fault`, async (t) => {
  const random = randomFrom(seed)
  const casts = Array.from({ length: CASTS }, () =>
    Array.from({ length: 1 + random.int(5) }, () => wordOf(random)),
  )
  const texts = casts.map((words) => words.map((word) => written(word, random)).join(' '))
  const networks: Network[] = []
  for (const engine of ENGINES) {
    const network = await createNetwork(engine, [1], { ROOKERY_APP_LIMIT: '5000000' })
    t.after(() => network.world.close())
    networks.push(network)
  }
  let hashes: string[] = []
  for (const network of networks) {
    hashes = []
    for (const text of texts) hashes.push(await network.cast(network.accounts[0]!, { text }))
    await network.indexed()
  }
  let matched = 0
  for (let i = 0; i < QUERIES; i++) {
    const query = i % 3 === 2 ? undefined : queryOf(random)
    const noise = () => random.pick(random.int(3) > 0 ? NOISE : random.pick(WORDS))
    const q = query
      ? textOf(query, random)
      : Array.from({ length: 1 + random.int(14) }, noise).join('')
    const [first, second] = await Promise.all(networks.map((network) => search(network, q)))
    assert.deepEqual(first, second, `engines differ on ${JSON.stringify(q)}`)
    if (!query) continue
    const expected = hashes.filter((_, n) => isFound(query, casts[n]!)).toReversed()
    assert.deepEqual(first, expected, JSON.stringify(q))
    if (expected.length > 0) matched++
  }
  assert.ok(matched > QUERIES / 4, `${matched} searches found something`)
})
