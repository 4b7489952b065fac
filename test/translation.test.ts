// Translations: set up by who has the token of the operator, asked for by members alone, bounded and paid for before anything is sent,
// and of nothing that is hidden or erased.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MEMBER_LEAST, OF_MEMBER } from '../src/features/translation/limits.ts'
import { sealedTranslator } from '../src/features/translation/sealed-translator.ts'
import { translatorRows } from '../src/features/translation/tables/translators.ts'
import { castRemove } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { bytesOfHash, createNetwork, type Json, type Network } from './app-api-support.ts'
import {
  answering,
  DEEPL_KEY,
  LIBRE_KEY,
  type StandIn,
  startTranslator,
  translated,
} from './translator-support.ts'
import { until } from './until.ts'
import { appToken, enginesOf } from './world.ts'

const PATH = '/server/translator'
const POLISH = 'Dzień dobry wszystkim, wreszcie wyszło słońce'
const DECISION = { reason: 'house rules', actor: 'the owner' }

for (const engine of enginesOf(import.meta.url)) {
  describe(`translations on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    let standIn: StandIn
    const log: string[] = []
    before(async () => {
      standIn = await startTranslator()
      net = await createNetwork(engine, [1, 2, 3, 4, 5, 6], {}, log)
    })
    after(async () => {
      await net?.world.close()
      await standIn.close()
    })
    const account = (fid: number) => net.accounts.find((one) => one.fid === fid)!
    const setUp = (more: object = {}) =>
      net.world.operate(PATH, {
        method: 'PUT',
        body: {
          ...{ kind: 'libretranslate', address: standIn.url, ownNetwork: true, key: LIBRE_KEY },
          ...more,
        },
      })
    const end = () => net.world.operate(PATH, { method: 'DELETE', body: {} })
    const shown = async () => (await net.world.operate(PATH)).body
    async function translate(
      fid: number | undefined,
      cast_hash: string,
      language = 'de',
    ): Promise<{ status: number; body: Json; headers: Headers }> {
      const response = await fetch(`${net.world.app.urls.app}/v2/farcaster/cast/translation`, {
        method: 'POST',
        headers: {
          ...(fid && { authorization: `Bearer ${net.world.token(account(fid))}` }),
          'content-type': 'application/json',
          'x-api-key': 'web',
        },
        body: JSON.stringify({ cast_hash, language }),
      })
      return { status: response.status, body: await response.json(), headers: response.headers }
    }
    const post = async (fid: number, text: string) => {
      const hash = await net.cast(account(fid), { text })
      await net.indexed()
      return hash
    }

    test('there is no translator until the operator names one that works', async () => {
      const hash = await post(1, POLISH)
      assert.deepEqual(await shown(), {
        ...{ kind: null, address: null, ownNetwork: false, hasKey: false, monthly: 500_000 },
        ...{ used: 0, changedAt: null, changedBy: null },
      })
      const { status, body } = await translate(2, hash)
      assert.deepEqual([status, body.code, standIn.seen.length], [400, 'NotSupported', 0])
      for (const [wrong, field, words] of [
        [{ key: 'not-the-key' }, 'address', /does not accept the key/],
        [{ kind: 'deepl', key: '' }, 'key', /DeepL needs a key/],
        [{ ownNetwork: false, address: 'http://10.0.0.1/' }, 'address', /not at a public/],
        [{ ownNetwork: false, address: 'http://example.org' }, 'address', /begin with https/],
        [{ address: 'ftp://127.0.0.1' }, 'address', /must be an http or https address/],
        [{ address: `${standIn.url}/?key=1` }, 'address', /must be an http or https address/],
        [{ address: 'http://user:pass@127.0.0.1/' }, 'address', /has a user name/],
        [{ address: 'http://169.254.169.254/' }, 'address', /not at a public address/],
        [{ key: 'with a blank' }, 'key', /./],
        [{ monthly: 999 }, 'monthly', /./],
        [{ kind: 'other' }, 'kind', /./],
      ] as const) {
        const { status, body } = await setUp(wrong)
        assert.equal(status, 400, JSON.stringify(wrong))
        assert.match(JSON.stringify(body), new RegExp(field))
        assert.match(JSON.stringify(body), words)
      }
      assert.equal((await shown()).kind, null)
    })

    test('a member reads a translation of a post that the member may see, and others of the same cost nothing', async () => {
      assert.equal((await setUp({ actor: 'the owner', reason: 'asked for' })).status, 200)
      const hash = await post(1, POLISH)
      standIn.seen.length = 0
      const first = await translate(2, hash)
      assert.deepEqual(
        [first.status, first.body],
        [
          200,
          {
            ...{ object: 'translation', text: translated(POLISH, 'de'), language: 'de' },
            ...{ from: 'pl', by: 'LibreTranslate' },
          },
        ],
      )
      assert.equal(first.headers.get('cache-control'), 'private, no-store')
      const { used } = await shown()
      assert.equal(used, POLISH.length)
      assert.deepEqual((await translate(3, hash)).body, first.body)
      assert.deepEqual([standIn.seen.length, (await shown()).used], [1, used])
      // Only the text: nothing says who wrote or who reads it.
      assert.doesNotMatch(standIn.seen[0]!.raw, /user1|user2|Bearer|fid|0x/i)
      assert.equal((await translate(2, hash, 'es')).body.text, translated(POLISH, 'es'))
      assert.equal((await translate(2, hash, 'xx')).status, 400)
      assert.equal((await translate(2, `0x${'12'.repeat(20)}`)).status, 404)
    })

    test('visitors, suspended accounts and who has no token of the operator are refused', async () => {
      const hash = await post(1, `${POLISH} i ptaki śpiewają`)
      standIn.seen.length = 0
      assert.equal((await translate(undefined, hash)).status, 403)
      await net.world.operate('/moderation/accounts/6/suspend', { body: DECISION })
      assert.equal((await translate(6, hash)).status, 403)
      // A role is not enough: no account sends requests into the network of the server.
      await net.world.operate('/moderation/staff/4/appoint', {
        body: { ...DECISION, role: 'operator', custody: toHex(account(4).custody) },
      })
      for (const [method, path, expected] of [
        ['GET', '/server/texts', 200],
        ['GET', PATH, 404],
        ['PUT', PATH, 404],
        ['DELETE', PATH, 404],
      ] as const) {
        const exp = Math.floor(net.world.clock.now() / 1_000) + 60
        const token = appToken(account(4), { exp, aud: net.world.app.urls.platform })
        const response = await fetch(`${net.world.app.urls.platform}/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
          },
          ...(method !== 'GET' && { body: '{}' }),
        })
        assert.equal(response.status, expected, `${method} ${path}`)
        await response.body?.cancel()
      }
      assert.equal(standIn.seen.length, 0)
    })

    test('what is hidden, deleted or erased is not served, not even from what was kept', async () => {
      const texts = ['jeden', 'dwa', 'trzy'].map((word) => `${POLISH}, ${word}`)
      const [hidden, deleted, erased] = [
        await post(1, texts[0]!),
        await post(1, texts[1]!),
        await post(5, texts[2]!),
      ]
      for (const hash of [hidden, deleted, erased]) {
        assert.equal((await translate(2, hash)).status, 200)
      }
      standIn.seen.length = 0
      await net.world.operate(`/moderation/casts/${hidden}/hide`, { body: DECISION })
      await net.send(account(1), (origin) => castRemove(origin, bytesOfHash(deleted)))
      await net.world.operate('/moderation/accounts/5/erase', { body: DECISION })
      await net.indexed()
      for (const hash of [hidden, deleted, erased]) {
        await until(async () => (await translate(2, hash)).status === 404, `${hash} is gone`)
      }
      // A post that is shown again is asked for anew: what was kept of it is gone.
      await net.world.operate(`/moderation/casts/${hidden}/unhide`, { body: DECISION })
      await until(async () => (await translate(2, hidden)).status === 200, 'it is shown again')
      assert.equal(standIn.seen.length, 1)
    })

    test('the key is sealed, never shown and never logged, and stays for its own server alone', async () => {
      const { storage } = net.world.app
      const row = (await storage.of(translatorRows).get())!
      assert.ok(!Buffer.from(row.secret).includes(LIBRE_KEY))
      assert.equal((await sealedTranslator.read(storage, '', 10)).length, 1)
      assert.deepEqual(await sealedTranslator.read(storage, 'translator', 10), [])
      const answers = [await shown(), (await net.world.operate('/server')).body]
      answers.push((await net.world.operate('/moderation/log')).body)
      for (const answer of [...answers, log]) {
        assert.ok(!JSON.stringify(answer).includes(LIBRE_KEY))
      }
      assert.match(JSON.stringify(answers[2]), /LibreTranslate at http.*asked for/)
      // Without a key the stored one counts, below the same origin only.
      assert.equal((await setUp({ key: undefined, monthly: 400_000 })).status, 200)
      assert.equal((await shown()).monthly, 400_000)
      const other = await startTranslator()
      standIn.seen.length = 0
      assert.equal((await setUp({ key: undefined, address: other.url })).status, 400)
      assert.ok(!JSON.stringify(other.seen).includes(LIBRE_KEY))
      await other.close()
      // Another interface is another service, also at the same address.
      assert.equal((await setUp({ kind: 'deepl', key: undefined })).status, 400)
      assert.equal((await setUp({ kind: 'deepl', key: DEEPL_KEY })).status, 200)
      const hash = await post(1, `${POLISH} znowu`)
      assert.equal((await translate(2, hash)).body.by, 'DeepL')
    })

    test('a translator that refuses or fails is told in words, and one that has had too much is left alone for a minute', async () => {
      assert.equal((await setUp()).status, 200)
      const hash = await post(1, `${POLISH} i jeszcze raz`)
      standIn.fault = answering(403, { error: LIBRE_KEY })
      const refused = await translate(2, hash)
      assert.equal(refused.status, 503)
      assert.match(
        refused.body.message,
        /the translator cannot be used: it does not accept the key/,
      )
      assert.doesNotMatch(JSON.stringify(refused.body), new RegExp(LIBRE_KEY))
      // Where it is in the network of the server does not concern members.
      standIn.fault = (response) => response.destroy()
      const lost = await translate(2, hash)
      assert.match(lost.body.message, /the translator cannot be used: it cannot be reached/)
      assert.doesNotMatch(JSON.stringify(lost.body), /127\.0\.0\.1|address/)
      standIn.fault = answering(200, { translatedText: null })
      assert.equal((await translate(2, hash)).status, 503)
      standIn.fault = answering(429)
      const tooMuch = await translate(2, hash)
      assert.deepEqual([tooMuch.status, tooMuch.headers.get('retry-after')], [503, '60'])
      standIn.fault = undefined
      standIn.seen.length = 0
      assert.equal((await translate(3, hash)).status, 503)
      assert.equal(standIn.seen.length, 0)
      net.world.clock.advance(60_000)
      assert.equal((await translate(3, hash)).status, 200)
      assert.ok(!JSON.stringify(log).includes(LIBRE_KEY))
    })

    test('a flood of one member ends at its bound and of all at that of the operator, and what is there already stays free', async () => {
      net.world.clock.advance(3_600_000)
      const hashes: string[] = []
      for (let i = 0; i < OF_MEMBER.max / 20 + 1; i++) {
        hashes.push(await net.cast(account(1), { text: `${POLISH} numer ${i}` }))
      }
      await net.indexed()
      const languages = ['de', 'es', 'en', 'pt', 'no', 'zh']
      standIn.seen.length = 0
      // Each pair of post and language is another translation; languages that the translator does not know are paid for as well.
      const many = [...languages, ...'am ar az be bg bn ca cs da el et eu fa fi'.split(' ')]
      const statuses: number[] = []
      for (const hash of hashes) {
        for (const language of many) statuses.push((await translate(3, hash, language)).status)
      }
      const counted = (status: number) => statuses.filter((one) => one === status).length
      assert.equal(standIn.seen.length, OF_MEMBER.max)
      assert.equal(counted(429), hashes.length * many.length - OF_MEMBER.max)
      assert.equal((await translate(3, hashes[0]!, 'de')).status, 200)
      assert.equal((await translate(2, hashes.at(-1)!, 'de')).status, 200)
      const { used } = await shown()
      assert.equal((await setUp({ monthly: 1_000 })).status, 200)
      assert.ok(used > 1_000)
      const refused = await translate(4, hashes[0]!, 'es')
      assert.equal(refused.status, 429)
      assert.match(refused.body.message, /as much as it may in 30 days/)
      net.world.clock.advance(30 * 86_400_000)
      assert.equal((await translate(4, hashes[0]!, 'es')).status, 200)
    })

    test('one member alone does not use up what all may have, and an author who blocks a reader leaves others what was kept', async () => {
      net.world.clock.advance(30 * 86_400_000)
      assert.equal((await setUp({ monthly: MEMBER_LEAST * 4 + 400 })).status, 200)
      const hash = await post(1, `${POLISH} ${'i dalej '.repeat(30)}`)
      const { storage } = net.world.app
      const ends_at = net.world.clock.now() + 30 * 86_400_000
      const used = { name: 'translations', ends_at, count: 1, amount: MEMBER_LEAST }
      await storage.write('translations/used', (tx) =>
        tx.quotas.put([{ ...used, subject: '3 share' }]),
      )
      const refused = await translate(3, hash)
      assert.equal(refused.status, 429)
      assert.match(refused.body.message, /a quarter of what all may have/)
      assert.equal((await shown()).used, 0)
      assert.equal((await translate(2, hash)).status, 200)
      standIn.seen.length = 0
      const block = async (method: 'POST' | 'DELETE', body: object) => {
        const token = net.world.token(account(1))
        const answer = await net.world.platform('/fc/blocked-users', { method, body, token })
        assert.equal(answer.status, 200)
      }
      await block('POST', { blockFid: 4 })
      await until(async () => (await translate(4, hash)).status === 404, 'the reader is blocked')
      assert.equal((await translate(3, hash)).status, 200)
      assert.equal(standIn.seen.length, 0)
      await block('DELETE', { unblockFid: 4 })
      await until(async () => (await translate(4, hash)).status === 200, 'no longer blocked')
    })

    test('many at once are one request, and those of one member wait in a bounded line', async () => {
      assert.equal((await setUp({ monthly: 500_000 })).status, 200)
      net.world.clock.advance(3_600_000)
      const hash = await post(1, `${POLISH} razem`)
      standIn.seen.length = 0
      const same = await Promise.all([2, 2, 3, 3, 4].map((fid) => translate(fid, hash)))
      assert.deepEqual(
        same.map(({ status }) => status),
        [200, 200, 200, 200, 200],
      )
      assert.equal(standIn.seen.length, 1)
      const held: (() => void)[] = []
      standIn.fault = (response) => {
        held.push(() => answering(200, { translatedText: 'so' })(response))
      }
      const languages = ['es', 'en', 'pt', 'no', 'zh', 'it', 'fr']
      const refused: (string | null)[] = []
      const all = languages.map(async (language) => {
        const answer = await translate(2, hash, language)
        if (answer.status === 503) refused.push(answer.headers.get('retry-after'))
        return answer
      })
      await until(() => held.length === 2 && refused.length === 3, 'two wait for two')
      assert.deepEqual(refused, ['20', '20', '20'])
      standIn.fault = answering(200, { translatedText: 'so' })
      for (const answer of held) answer()
      const statuses = (await Promise.all(all)).map(({ status }) => status)
      assert.equal(statuses.filter((status) => status === 200).length, 4)
      standIn.fault = undefined
    })

    test('an operator who ends it leaves nothing of the key, and a lost one is given up', async () => {
      assert.equal((await end()).body.kind, null)
      const { storage } = net.world.app
      assert.equal(await storage.of(translatorRows).get(), undefined)
      assert.deepEqual(await sealedTranslator.read(storage, '', 10), [])
      const hash = await post(1, `${POLISH} koniec`)
      assert.equal((await translate(2, hash)).body.code, 'NotSupported')
      assert.equal((await setUp()).status, 200)
      await sealedTranslator.giveUp(storage, ['translator'])
      assert.equal((await shown()).kind, null)
    })
  })
}
