import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainManifestSchema } from '@farcaster/miniapp-core'
import { readManifest } from './manifest.ts'

// The same documents are judged by the published schema and by our checks. Each is good but for one field.

const GOOD = {
  version: '1',
  name: 'Poll',
  iconUrl: 'https://app.example/icon.png',
  homeUrl: 'https://app.example/',
}
const SIGNED = { header: 'a', payload: 'b', signature: 'c' }
const TERMS = { domain: 'app.example', allowLoopback: false, anyHome: false }
const URL_OF_1024 = `https://app.example/${'x'.repeat(1_024 - 'https://app.example/'.length)}`

type Fields = Readonly<Record<string, unknown>>

/** Fields that both accept, and fields that both refuse. */
const BOTH: readonly (readonly [isGood: boolean, fields: Fields])[] = [
  [true, {}],
  [true, { version: 'next' }],
  [true, { version: '0.0.1' }],
  [true, { version: '0.0.0' }],
  [false, { version: '2' }],
  [false, { version: 1 }],
  [false, { version: undefined }],
  [true, { name: 'x'.repeat(32) }],
  [true, { name: 'Poll #1 @ home!!' }],
  [false, { name: 'x'.repeat(33) }],
  [false, { name: undefined }],
  [false, { name: null }],
  [false, { iconUrl: undefined }],
  [false, { iconUrl: 'http://app.example/icon.png' }],
  [false, { iconUrl: 'data:image/png;base64,AA' }],
  [true, { iconUrl: 'https://cdn.example:8443/icon.png' }],
  [true, { iconUrl: URL_OF_1024 }],
  [false, { iconUrl: `${URL_OF_1024}x` }],
  [false, { iconUrl: 'https://app.example/a b.png' }],
  [false, { iconUrl: 'https://10.0.0.1/icon.png' }],
  [false, { iconUrl: 'https://[2001:db8::1]/icon.png' }],
  [false, { iconUrl: 'https://localhost/icon.png' }],
  [false, { iconUrl: 'https://app.localhost/icon.png' }],
  [false, { iconUrl: 'HTTPS://app.example/icon.png' }],
  [false, { homeUrl: undefined }],
  [false, { homeUrl: 'not a url' }],
  [true, { homeUrl: 'https://app.example/path?query=1' }],
  [true, { buttonTitle: 'x'.repeat(32) }],
  [false, { buttonTitle: 'x'.repeat(33) }],
  [true, { splashBackgroundColor: '#fff' }],
  [true, { splashBackgroundColor: '#FF00aa' }],
  [false, { splashBackgroundColor: '#ff00aa80' }],
  [false, { splashBackgroundColor: 'red' }],
  [false, { splashImageUrl: 'ftp://app.example/a.png' }],
  [true, { webhookUrl: 'https://hooks.example/poll' }],
  [false, { webhookUrl: 'http://hooks.example/poll' }],
  [true, { subtitle: 'x'.repeat(30) }],
  [false, { subtitle: 'x'.repeat(31) }],
  [false, { subtitle: 'Fun 🎉' }],
  [false, { subtitle: 'Heart ❤' }],
  [false, { subtitle: 'a/b' }],
  [false, { subtitle: 'mail@app' }],
  [false, { subtitle: 'wow!!' }],
  [false, { subtitle: 'why??' }],
  [false, { subtitle: 'a--b' }],
  [true, { subtitle: 'One! Two? a-b' }],
  [true, { description: 'x'.repeat(170) }],
  [false, { description: 'x'.repeat(171) }],
  [false, { description: '50% more' }],
  [true, { screenshotUrls: ['https://a.example/1', 'https://a.example/2', 'https://a.example/3'] }],
  [false, { screenshotUrls: Array.from({ length: 4 }, (_, i) => `https://a.example/${i}`) }],
  [false, { screenshotUrls: 'https://a.example/1' }],
  [false, { screenshotUrls: ['http://a.example/1'] }],
  [true, { primaryCategory: 'developer-tools' }],
  [false, { primaryCategory: 'Games' }],
  [true, { tags: ['a', 'b', 'c', 'd', 'x'.repeat(20)] }],
  [false, { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }],
  [false, { tags: ['two words'] }],
  [false, { tags: ['x'.repeat(21)] }],
  [false, { tags: [1] }],
  [true, { tags: [] }],
  [false, { tagline: 'x'.repeat(31) }],
  [false, { ogTitle: 'x'.repeat(31) }],
  [true, { ogDescription: 'x'.repeat(100) }],
  [false, { ogDescription: 'x'.repeat(101) }],
  [false, { ogImageUrl: '' }],
  [true, { noindex: true }],
  [false, { noindex: 'true' }],
  [true, { requiredChains: ['eip155:8453', 'eip155:8453'] }],
  [false, { requiredChains: ['eip155:31337'] }],
  [true, { requiredCapabilities: ['actions.composeCast', 'back'] }],
  [false, { requiredCapabilities: ['actions.fly'] }],
  [true, { castShareUrl: 'https://app.example:8443/share' }],
  [false, { castShareUrl: 'https://other.example/share' }],
  [true, { canonicalDomain: 'new.example' }],
  [false, { canonicalDomain: 'https://new.example' }],
  [false, { canonicalDomain: 'new.example:3000' }],
  [false, { canonicalDomain: 'example' }],
  [true, { somethingElse: { deep: [1] } }],
]

const documentOf = (fields: Fields) => ({
  accountAssociation: SIGNED,
  miniapp: { ...GOOD, ...fields },
})
const oursAccepts = (document: unknown) => readManifest(document, TERMS).manifest !== undefined
const theirsAccepts = (document: unknown) => domainManifestSchema.safeParse(document).success

test('manifests with one field changed are judged like by the published schema', () => {
  assert.ok(BOTH.length >= 60)
  for (const [isGood, fields] of BOTH) {
    const document = JSON.parse(JSON.stringify(documentOf(fields)))
    const what = JSON.stringify(fields).slice(0, 100)
    assert.equal(theirsAccepts(document), isGood, `the published schema, ${what}`)
    assert.equal(oursAccepts(document), isGood, `ours, ${what}`)
  }
})

test('every fault names the path of its field and what to do', () => {
  for (const [isGood, fields] of BOTH) {
    const { faults } = readManifest(JSON.parse(JSON.stringify(documentOf(fields))), TERMS)
    if (isGood) assert.deepEqual(faults, [])
    else {
      assert.equal(faults.length, 1)
      assert.equal(faults[0]!.path, `miniapp.${Object.keys(fields)[0]}`)
      assert.ok(faults[0]!.message.length > 5 && faults[0]!.fix.endsWith('.'))
    }
  }
})

test('a manifest as "frame" counts, and one that differs from "miniapp" is refused by both', () => {
  const frame = { accountAssociation: SIGNED, frame: GOOD }
  const both = { ...frame, miniapp: GOOD }
  const unequal = { ...frame, miniapp: { ...GOOD, name: 'Other' } }
  for (const [document, isGood] of [
    [frame, true],
    [both, true],
    [unequal, false],
    ['text', false],
    [[], false],
    [null, false],
  ] as const) {
    assert.equal(theirsAccepts(document), isGood)
    assert.equal(oursAccepts(document), isGood)
  }
})

test('an empty name, a home page elsewhere and a document without an app are refused here alone', () => {
  for (const [document, code] of [
    [documentOf({ name: '' }), 'field'],
    [documentOf({ homeUrl: 'https://other.example/' }), 'home_elsewhere'],
    [documentOf({ homeUrl: 'https://www.app.example/' }), 'home_elsewhere'],
    [documentOf({ homeUrl: 'https://app.example:8443/' }), 'home_elsewhere'],
    [{ accountAssociation: SIGNED }, 'field'],
  ] as const) {
    assert.ok(theirsAccepts(document))
    const { manifest, faults } = readManifest(document, TERMS)
    assert.equal(manifest, undefined)
    assert.equal(faults[0]!.code, code)
  }
})

test('all faults of a manifest are found at once', () => {
  const { faults } = readManifest(
    documentOf({ version: '9', subtitle: 'a/b', tags: ['x y'], iconUrl: undefined }),
    TERMS,
  )
  assert.deepEqual(
    faults.map(({ path }) => path),
    ['miniapp.version', 'miniapp.iconUrl', 'miniapp.subtitle', 'miniapp.tags'],
  )
})

test('texts lose characters that nobody sees', () => {
  const { manifest } = readManifest(
    documentOf({ name: 'Po\u202ell\u200b', tags: ['a\u0007'] }),
    TERMS,
  )
  assert.equal(manifest?.name, 'Po ll')
  assert.deepEqual(manifest?.tags, ['a'])
})

test('URLs of this machine are warnings where they are allowed', () => {
  const local = { iconUrl: 'http://localhost:3000/icon.png', homeUrl: 'http://127.0.0.1:3000/' }
  const terms = { domain: '127.0.0.1:3000', allowLoopback: true, anyHome: true }
  const { manifest, faults } = readManifest(documentOf(local), terms)
  assert.equal(manifest?.iconUrl, local.iconUrl)
  assert.deepEqual(
    faults.map(({ severity, code }) => [severity, code]),
    [
      ['warning', 'loopback'],
      ['warning', 'loopback'],
    ],
  )
})

test('on a development network the pages of the domain are opened, whatever home page the manifest has', () => {
  const terms = { domain: 'localhost:3000', allowLoopback: true, anyHome: true }
  const urls = { homeUrl: 'https://app.example/a?b=c', castShareUrl: 'https://app.example/share' }
  const { manifest, faults } = readManifest(documentOf(urls), terms)
  assert.equal(manifest?.homeUrl, 'http://localhost:3000/a?b=c')
  assert.equal(manifest?.castShareUrl, 'http://localhost:3000/share')
  assert.equal(faults[0]!.code, 'home_elsewhere')
})
