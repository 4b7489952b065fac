// Random manifests, meta tags, pages and domains of mini apps, which come from servers that nobody here controls.

import { isDeepStrictEqual } from 'node:util'
import { readEmbed } from '../../src/features/mini-apps/embed.ts'
import { isError } from '../../src/features/mini-apps/faults.ts'
import { readManifest } from '../../src/features/mini-apps/manifest.ts'
import { FIELDS } from '../../src/features/mini-apps/manifest-fields.ts'
import { readHead } from '../../src/features/web/previews/page-head.ts'
import { originOf, readDomain } from '../../src/kernel/base/web-domain.ts'
import { type Random, randomFrom } from '../random.ts'

const TEXTS = [
  ...[
    '',
    ' ',
    'a',
    'Poll',
    'null',
    '__proto__',
    '"',
    '\\',
    '\u0000',
    '\u202e',
    '\ud83e',
    '🦜',
    'İ',
  ],
  ...['!!', '??', '--', '@me', '#000', '#00000', '#0b5d57', 'x'.repeat(33), 'x'.repeat(2_000)],
  ...['https://app.example/', 'https://app.example:8443/a?b#c', 'http://app.example/', 'https://['],
  ...[
    'https://10.0.0.1/',
    'http://localhost:3000/',
    'https://[::1]/',
    'javascript:alert(1)',
    '//x',
  ],
  ...['app.example', 'APP.example', 'app.example.', 'a;b.localhost', 'localhost:3000', 'xn--p1ai'],
  ...['1', 'next', '3:2', '1:1', 'launch_miniapp', 'launch_frame', 'games', 'eip155:10', 'back'],
  ...["<meta name='fc:miniapp' content='{}'>", '</head>', '<!--', '<script>', '&quot;'],
]
const NUMBERS = [0, -1, 1, 1.5, Number.POSITIVE_INFINITY, 2 ** 53, Number.NaN]
const MAX_DEPTH = 4
const MAX_ITEMS = 6

const GOOD = {
  miniapp: {
    ...{ version: '1', name: 'Poll', iconUrl: 'https://app.example/icon.png' },
    ...{ homeUrl: 'https://app.example/', castShareUrl: 'https://app.example/share' },
    ...{ tags: ['poll'], primaryCategory: 'social', splashBackgroundColor: '#0b5d57' },
  },
}
const GOOD_EMBED = {
  ...{ version: '1', imageUrl: 'https://app.example/card.png', aspectRatio: '3:2' },
  button: { title: 'Vote', action: { type: 'launch_miniapp', name: 'Poll' } },
}
const PAGE = new URL('https://app.example/poll')

export type DocumentsReport = {
  /** What should not be, with the seed that makes it again. */
  readonly faults: readonly string[]
  /** How many documents of each kind were valid: the others did not get past the first rules. */
  readonly valid: Readonly<Record<string, number>>
}

/** Reads so many documents of each kind. */
export function fuzzMiniAppDocuments(seed: number, documents: number): DocumentsReport {
  const random = randomFrom(seed)
  const faults: string[] = []
  const valid: Record<string, number> = {}
  for (let n = 1; n <= documents; n++) {
    for (const [name, check] of Object.entries(CHECKS)) {
      const count = () => {
        valid[name] = (valid[name] ?? 0) + 1
      }
      const problem = problemOf(() => check(random, count))
      if (problem) faults.push(`document ${n} of seed ${seed}, ${name}: ${problem}`)
    }
  }
  return { faults, valid }
}

/** Says what is wrong about a random document, and counts it when it is valid. */
type Check = (random: Random, count: () => void) => string | undefined

function problemOf(check: () => string | undefined): string | undefined {
  try {
    return check()
  } catch (error) {
    return (error as Error).stack
  }
}

const CHECKS: Readonly<Record<string, Check>> = {
  manifest(random, count) {
    const document = mutated(random, GOOD)
    const anyHome = random.int(2) === 0
    const terms = { domain: 'app.example', allowLoopback: anyHome, anyHome }
    const { manifest, faults } = readManifest(document, terms)
    const shown = JSON.stringify(document)?.slice(0, 2_000)
    if (faults.some(({ message, fix }) => message === '' || fix === '')) return `no text: ${shown}`
    if ((manifest === undefined) !== faults.some(isError)) return `errors and a manifest: ${shown}`
    if (!manifest) return undefined
    count()
    const unknown = Object.keys(manifest).filter((name) => !Object.hasOwn(FIELDS, name))
    if (unknown.length > 0) return `unknown fields ${unknown}: ${shown}`
    const again = readManifest({ miniapp: manifest }, terms).manifest
    return isDeepStrictEqual(again, manifest)
      ? undefined
      : `another manifest the second time: ${shown}`
  },
  embed(random, count) {
    const content = JSON.stringify(mutated(random, GOOD_EMBED)) ?? ''
    const text = random.int(4) === 0 ? content.slice(random.int(content.length + 1)) : content
    const { embed, faults } = readEmbed(text, PAGE, { allowLoopback: random.int(2) === 0 })
    if ((embed === undefined) !== faults.length > 0) return `faults and a card: ${text}`
    if (embed) count()
    const isBad = embed && !/^https?:$/.test(new URL(embed.url).protocol)
    return isBad ? `a card that opens ${embed.url}: ${text}` : undefined
  },
  page(random, count) {
    const pieces = Array.from({ length: 1 + random.int(MAX_ITEMS) }, () => random.pick(TEXTS))
    const html = `<html><head>${pieces.join(random.pick(['', ' ', '"']))}`
    const { miniApp } = readHead(html)
    if (miniApp === undefined) return undefined
    count()
    readEmbed(miniApp, PAGE, { allowLoopback: false })
    return undefined
  },
  domain(random, count) {
    const text = [
      random.pick(TEXTS),
      random.pick(['', '.', ':', ';', '/']),
      random.pick(TEXTS),
    ].join('')
    const allowLoopback = random.int(2) === 0
    const domain = readDomain(text, allowLoopback)
    if (domain === undefined) return undefined
    count()
    const isSame = readDomain(domain, allowLoopback) === domain && /^[a-z0-9.:-]+$/.test(domain)
    return isSame && new URL(originOf(domain)).host === domain ? undefined : `${text} is ${domain}`
  },
}

/** A document with some of its values replaced, left out or added. */
function mutated(random: Random, value: unknown, depth = 0): unknown {
  if (random.int(12) === 0) return anyValue(random, depth)
  if (Array.isArray(value)) return value.map((one) => mutated(random, one, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, one]) =>
    random.int(15) === 0 ? [] : [[key, mutated(random, one, depth + 1)] as const],
  )
  const names = Object.keys(FIELDS)
  if (random.int(3) === 0) entries.push([random.pick(names), anyValue(random, depth + 1)])
  return Object.fromEntries(entries)
}

function anyValue(random: Random, depth: number): unknown {
  const kind = random.int(depth < MAX_DEPTH ? 6 : 4)
  if (kind === 0) return random.pick([null, true, false, undefined])
  if (kind === 1) return random.pick(NUMBERS)
  if (kind < 4) return random.pick(TEXTS)
  const values = Array.from({ length: random.int(MAX_ITEMS) }, () => anyValue(random, depth + 1))
  return kind === 4
    ? values
    : Object.fromEntries(values.map((value) => [random.pick(TEXTS), value]))
}
