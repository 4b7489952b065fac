import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { PATIENCE_MS } from '../../../test/patience.ts'
import {
  answering,
  DEEPL_KEY,
  LIBRE_KEY,
  type StandIn,
  startTranslator,
  translated,
} from '../../../test/translator-support.ts'
import { checkUrl } from '../../kernel/http/outgoing.ts'
import { askTranslator, type Place, rulesOf, TranslatorFault } from './asking.ts'
import { MAX_ANSWER_BYTES } from './limits.ts'

const TEXT = 'Dzień dobry “wszystkim”\nw mieście'
const NEVER = new AbortController().signal
const RULES = { allowLoopback: false }
/** At which clouds tell machines their secrets, in several spellings. */
const OF_CLOUDS = [
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '::ffff:100.100.100.200'],
  ...['168.63.129.16', 'fe80::a9fe:a9fe', 'fd00:ec2::254', 'fd00:ec2:0:0::23', 'fd20:ce::254'],
  ...['fd00:42::42', 'fd00:c1::a9fe:a9fe', '::ffff:169.254.169.254'],
]
const OWN = [
  ...['127.0.0.1', '10.0.0.5', '172.16.3.4', '192.168.1.20', '100.64.0.7', '100.100.100.201'],
  ...['[::1]', '[fd12:3456::1]', '[fd00:ec3::254]', '[fd20:ce::1]', '[::ffff:10.0.0.5]'],
]

describe('translators over their interfaces', { concurrency: 1 }, () => {
  let standIn: StandIn
  before(async () => {
    standIn = await startTranslator()
  })
  after(() => standIn.close())

  const placeOf = (kind: 'libretranslate' | 'deepl', more: Partial<Place> = {}): Place => ({
    ...{ kind, address: standIn.url, own_network: 1 },
    key: kind === 'deepl' ? DEEPL_KEY : LIBRE_KEY,
    ...more,
  })
  const KINDS = ['libretranslate', 'deepl'] as const
  const asked = { text: TEXT, from: 'pl', to: 'de' }
  const ask = (place: Place, more: Partial<typeof asked> = {}, timeoutMs = PATIENCE_MS) =>
    askTranslator(place, { ...asked, ...more }, RULES, { stop: NEVER, timeoutMs })
  const faultOf = async (place: Place, more: Partial<typeof asked> = {}, timeoutMs?: number) => {
    const error = await ask(place, more, timeoutMs).then(
      () => assert.fail('there is a translation'),
      (failure: unknown) => failure,
    )
    assert.ok(error instanceof TranslatorFault, String(error))
    for (const secret of [LIBRE_KEY, DEEPL_KEY, 'wrong-key', 'Dzień', 'a secret of theirs']) {
      assert.ok(!error.message.includes(secret), error.message)
    }
    return error
  }

  test('a text is translated, and nothing but the text, the languages and the key is sent', async () => {
    assert.deepEqual(await ask(placeOf('libretranslate')), {
      text: translated(TEXT, 'de'),
      from: undefined,
    })
    assert.deepEqual(standIn.seen.at(-1)!.body, {
      ...{ q: TEXT, source: 'pl', target: 'de', format: 'text', api_key: LIBRE_KEY },
    })
    assert.deepEqual(await ask(placeOf('deepl')), { text: translated(TEXT, 'de'), from: 'pl' })
    const { path, body } = standIn.seen.at(-1)!
    assert.deepEqual([path, body], ['/v2/translate', { text: [TEXT], target_lang: 'DE' }])
  })

  test('each translator gets the codes that it has, and one without a key gets none', async () => {
    for (const [to, libre, deepl] of [
      ['no', 'nb', 'NB'],
      ['en', 'en', 'EN-US'],
      ['pt', 'pt', 'PT-BR'],
      ['zh', 'zh', 'ZH-HANS'],
    ] as const) {
      await ask(placeOf('libretranslate'), { to })
      assert.equal(standIn.seen.at(-1)!.body.target, libre)
      await ask(placeOf('deepl'), { to })
      assert.equal(standIn.seen.at(-1)!.body.target_lang, deepl)
    }
    const unknown = await askTranslator(
      placeOf('libretranslate'),
      { text: TEXT, from: undefined, to: 'de' },
      RULES,
      { stop: NEVER },
    )
    assert.deepEqual([standIn.seen.at(-1)!.body.source, unknown.from], ['auto', 'pl'])
    standIn.fault = answering(200, { translatedText: 'so' })
    assert.equal((await ask(placeOf('libretranslate', { key: '' }))).text, 'so')
    assert.ok(!('api_key' in standIn.seen.at(-1)!.body))
    standIn.fault = undefined
  })

  test('what a translator refuses is said in words, without the key, the text or what it wrote', async () => {
    for (const kind of KINDS) {
      standIn.fault = undefined
      const wrong = await faultOf(placeOf(kind, { key: 'wrong-key' }))
      assert.match(wrong.message, /does not accept the key/)
      assert.match((await faultOf(placeOf(kind), { to: 'vi' })).message, /between these languages/)
      for (const [status, words, isTooMuch] of [
        [429, /asked it for too much/, true],
        [456, /in a month is used up/, true],
        [413, /too long for it/, false],
        [404, /no translator of this kind/, false],
        [503, /the status 503/, false],
        [302, /the status 302/, false],
      ] as const) {
        standIn.fault = answering(status, { error: 'a secret of theirs', message: 'the same' })
        const fault = await faultOf(placeOf(kind))
        assert.match(fault.message, words)
        assert.deepEqual([fault.isTooMuch, fault.code], [isTooMuch, 'unavailable'])
        assert.equal(fault.retryAfterSeconds, isTooMuch ? 60 : undefined)
      }
    }
    // What LibreTranslate 1.9.6 answers where it has keys and the request has none.
    standIn.fault = answering(400, { error: 'Please contact the server operator' })
    assert.match(
      (await faultOf(placeOf('libretranslate', { key: '' }))).message,
      /or it wants a key$/,
    )
    assert.doesNotMatch((await faultOf(placeOf('libretranslate'))).message, /wants a key/)
    standIn.fault = undefined
  })

  test('an answer that is no translation, is too long or does not come is refused', async () => {
    const wrong: unknown[] = [
      ...['<html>', '', 'null', '[]', '{}', '"text"'],
      ...[{ translatedText: 5, translations: [{ text: null }] }, { translations: [] }],
      ...[{ translatedText: ['x'] }, { translations: { text: 'x' } }],
    ]
    for (const kind of KINDS) {
      for (const body of wrong) {
        standIn.fault = answering(200, body)
        assert.match((await faultOf(placeOf(kind))).message, /not one of a translator/)
      }
      const long = 'x'.repeat(MAX_ANSWER_BYTES)
      standIn.fault = answering(200, { translatedText: long, translations: [{ text: long }] })
      assert.match((await faultOf(placeOf(kind))).message, /more than 131072 bytes/)
      // Headers, and then nothing.
      standIn.fault = (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.write('{"translatedText": "')
      }
      assert.match((await faultOf(placeOf(kind), {}, 200)).message, /did not answer in time/)
      standIn.fault = () => {}
      assert.match((await faultOf(placeOf(kind), {}, 200)).message, /did not answer in time/)
      // Another protocol, for which nobody has asked.
      standIn.fault = ({ socket }) => {
        socket!.write(
          'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
        )
      }
      assert.match((await faultOf(placeOf(kind))).message, /cannot be reached/)
    }
    standIn.fault = undefined
    const closed = await startTranslator()
    await closed.close()
    const { message } = await faultOf(placeOf('deepl', { address: closed.url }))
    assert.match(message, /cannot be reached \(ECONNREFUSED\)/)
  })

  test('a server that stops ends what it has asked for', async () => {
    const stop = new AbortController()
    standIn.fault = () => stop.abort()
    const waiting = askTranslator(placeOf('deepl'), asked, RULES, { stop: stop.signal })
    await assert.rejects(waiting, TranslatorFault)
    standIn.fault = undefined
  })

  test('only what is named as being in the own network may be there, and the addresses of clouds are not', async () => {
    const before = standIn.seen.length
    const outside = placeOf('libretranslate', { own_network: 0 })
    assert.match((await faultOf(outside)).message, /is not at a public address/)
    const named = placeOf('libretranslate', {
      ...{ own_network: 0, address: standIn.url.replace('127.0.0.1', 'localhost') },
    })
    assert.match((await faultOf(named)).message, /must begin with https/)
    const inNetwork = rulesOf({ own_network: 1 }, RULES)
    for (const host of ['0.0.0.0', ...OF_CLOUDS]) {
      const address = host.includes(':') ? `[${host}]` : host
      const place = placeOf('libretranslate', { address: `http://${address}:5000` })
      assert.match((await faultOf(place)).message, /is not at a public address/, host)
      // Behind a name, also beside an address that may be asked.
      const found = [host, '10.0.0.5'].map((one) => ({ address: one, family: isIP(one) }))
      const hidden = askTranslator(
        placeOf('libretranslate', { address: 'http://translator.internal:5000' }),
        asked,
        { ...RULES, lookup: async () => found },
        { stop: NEVER },
      )
      await assert.rejects(hidden, /is not at a public address/, host)
    }
    for (const host of OWN) checkUrl(new URL(`http://${host}:5000/translate`), inNetwork)
    assert.equal(standIn.seen.length, before)
  })
})
