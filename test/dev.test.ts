import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mnemonicToAccount } from 'viem/accounts'
import type { App } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { devAccount, TEST_PHRASE } from '../src/dev/accounts.ts'
import { DevClock, MAX_AHEAD_SECONDS } from '../src/dev/clock.ts'
import { startDevNetwork } from '../src/dev/network.ts'
import { signRegister } from '../src/kernel/accounts/signatures/sign.ts'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import { DAY_SECONDS, NETWORK_EPOCH_MS, networkTime } from '../src/kernel/protocol/time.ts'
import { createPlace } from './program.ts'
import { DEVNET, enginesOf, WORLD_START_MS } from './world.ts'

/** As a wallet derives them. */
const PHRASE_ADDRESSES = Array.from({ length: 10 }, (_, addressIndex) =>
  mnemonicToAccount(TEST_PHRASE, { addressIndex }).address.toLowerCase(),
)
// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Json = any
const JSON_TYPE = { 'content-type': 'application/json' }

describe('the development network', { concurrency: 2 }, () => {
  for (const engine of enginesOf(import.meta.url)) {
    describe(`on ${engine}`, { concurrency: 1 }, () => {
      let app: App
      let place: Awaited<ReturnType<typeof createPlace>>
      const clock = { now: () => WORLD_START_MS }
      const start = () =>
        startDevNetwork({
          config: readConfig({ ...place.env, ROOKERY_KEYS: '' }, 'development'),
          clock,
        })

      before(async () => {
        place = await createPlace(engine)
        app = await start()
      })
      after(async () => {
        await app.stop()
        await place.remove()
      })

      const get = async (path: string): Promise<Json> => (await fetch(app.urls.hub + path)).json()
      const dev = async (path: string, body?: object | 'nothing'): Promise<Json> => {
        const init = body && { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }
        const request = body === 'nothing' ? { method: 'POST' } : init
        return (await fetch(app.urls.operations + path, request)).json()
      }
      const dbstats = async () => (await get('/v1/info?dbstats=1')).dbStats
      const newest = async () => (await get('/v1/events?from_event_id=0')).events.at(-1)?.id

      it('the helpers of the network answer the pages of its own front door and no others', async () => {
        const { web } = app.urls
        const ask = async (headers: Record<string, string>) =>
          (await fetch(`${web}/dev/accounts`, { headers })).status
        assert.equal(await ask({}), 200)
        assert.equal(await ask({ origin: web, 'sec-fetch-site': 'same-origin' }), 200)
        assert.equal(await ask({ 'sec-fetch-site': 'cross-site' }), 403)
        assert.equal(await ask({ origin: 'https://elsewhere.example' }), 403)
      })

      it('the ten accounts have the keys of the public test phrase', async () => {
        const { accounts } = await dev('/dev/accounts')
        assert.deepEqual(
          accounts.map(({ fid }: Json) => fid),
          [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        )
        for (const [i, account] of accounts.entries()) {
          assert.equal(account.custodyAddress, PHRASE_ADDRESSES[i])
          for (const key of ['custodyPrivateKey', 'appPublicKey', 'appPrivateKey']) {
            assert.match(account[key], /^0x[0-9a-f]{64}$/)
          }
        }
      })

      it('the development wallet signs for its own accounts only', async () => {
        const ask = async (path: string, body?: object): Promise<Json> => {
          const init = body && { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }
          return (await fetch(app.urls.platform + path, init)).json()
        }
        const wallet = (method: string, ...params: unknown[]) =>
          ask('/dev/wallet', { method, params })
        const { accounts } = await ask('/dev/accounts')
        const owner = PHRASE_ADDRESSES[1]!
        assert.deepEqual(accounts[1], { fid: 2, name: 'raven', custodyAddress: owner })
        assert.deepEqual(await wallet('eth_requestAccounts'), { result: PHRASE_ADDRESSES })
        assert.deepEqual(await wallet('eth_chainId'), { result: '0xa' })

        const signer = mnemonicToAccount(TEST_PHRASE, { addressIndex: 1 })
        const message = { raw: '0x1234' } as const
        const personal = await wallet('personal_sign', '0x1234', signer.address)
        assert.equal(personal.result, await signer.signMessage({ message }))
        const types = { Remove: [{ name: 'nonce', type: 'uint256' }] }
        const domain = { name: 'a domain' }
        const typed = { domain, types, primaryType: 'Remove', message: { nonce: '7' } } as const
        const signature = await signer.signTypedData({ ...typed, message: { nonce: 7n } })
        for (const given of [typed, JSON.stringify(typed)]) {
          assert.equal((await wallet('eth_signTypedData_v4', owner, given)).result, signature)
        }

        const stranger = `0x${'12'.repeat(20)}`
        assert.equal((await wallet('eth_signTypedData_v4', stranger, typed)).error.code, 4100)
        assert.equal((await wallet('eth_signTypedData_v4', owner, '{')).error.code, -32602)
        assert.equal((await wallet('eth_sendTransaction', {})).error.code, 4200)
      })

      it('the world has profiles, names, casts, replies, follows and likes', async () => {
        const { messages } = await get('/v1/userDataByFid?fid=1')
        assert.equal(messages.length, 5)
        const proof = await get('/v1/userNameProofByName?name=rook')
        assert.equal(proof.fid, 1)
        const casts = (await get('/v1/castsByFid?fid=1')).messages
        assert(casts.length > 1 && casts.some((cast: Json) => cast.data.castAddBody.parentCastId))
        const follows = await get('/v1/linksByTargetFid?target_fid=1&link_type=follow')
        assert.equal(follows.messages.length, 9)
        const target = `target_fid=1&target_hash=${casts[0].hash}`
        const likes = await get(`/v1/reactionsByCast?${target}&reaction_type=Like`)
        assert(likes.messages.length > 2)
      })

      it('the world shows mentions, quotes, casts in channels, and pictures that it serves', async () => {
        const lists = await Promise.all(
          Array.from({ length: 10 }, (_, i) => get(`/v1/castsByFid?fid=${i + 1}`)),
        )
        const casts = lists.flatMap(({ messages }) =>
          messages.map((one: Json) => one.data.castAddBody),
        )
        assert(casts.some(({ mentions }: Json) => mentions.length === 3))
        const embeds = casts.flatMap((cast: Json) => cast.embeds)
        assert(embeds.some(({ castId }: Json) => castId))
        const portrait = await get('/v1/userDataByFid?fid=10&user_data_type=PFP')
        const urls = [
          portrait.data.userDataBody.value,
          ...embeds.flatMap(({ url }: Json) => url ?? []),
        ]
        const channels = await (await fetch(`${app.urls.platform}/v2/all-channels`)).json()
        for (const { url, imageUrl } of (channels as Json).result.channels) {
          const { messages } = await get(`/v1/castsByParent?url=${encodeURIComponent(url)}`)
          assert(messages.length > 0, url)
          urls.push(imageUrl)
        }
        assert(urls.length >= 7)
        for (const url of urls) {
          assert(url.startsWith(`${app.urls.web}/`), url)
          const { status, headers } = await fetch(url)
          assert.deepEqual([url, status], [url, 200])
          if (url.endsWith('.png')) assert.equal(headers.get('content-type'), 'image/png')
        }
        assert.equal((await fetch(`${app.urls.web}/dev/pictures/raven.svg`)).status, 404)
      })

      it('a new development account can post at once', async () => {
        const { accounts } = await dev('/dev/accounts', 'nothing')
        assert.equal(accounts.length, 1)
        const [{ fid, name, appPrivateKey }] = accounts
        assert.equal((await get(`/v1/userNameProofByName?name=${name}`)).fid, fid)
        const { unixSeconds } = await dev('/dev/clock')
        const origin = { fid, timestamp: networkTime(unixSeconds * 1000), network: DEVNET }
        const message = buildMessage(castAdd(origin, 'Hello'), fromHex(appPrivateKey)!)
        const { status } = await fetch(`${app.urls.hub}/v1/submitMessage`, {
          method: 'POST',
          headers: { 'content-type': 'application/octet-stream' },
          body: encodeEnvelope(message) as Uint8Array<ArrayBuffer>,
        })
        assert.equal(status, 200)
        assert.equal((await dev('/dev/accounts')).accounts.at(-1).fid, fid)
      })

      it('accounts created at the same time are all distinct', async () => {
        const made = await Promise.all([1, 2, 3].map(() => dev('/dev/accounts', {})))
        const fids = new Set(made.map(({ accounts }) => accounts[0].fid))
        assert.equal(fids.size, 3)
      })

      it('world, accounts and clock survive a restart', async () => {
        const time = await dev('/dev/clock', { advanceSeconds: 3600 })
        assert.deepEqual(time, { unixSeconds: WORLD_START_MS / 1000 + 3600, aheadSeconds: 3600 })
        const [accounts, stats] = [await dev('/dev/accounts'), await dbstats()]
        await app.stop()
        app = await start()
        assert.deepEqual(await dev('/dev/accounts'), accounts)
        assert.equal((await dbstats()).numMessages, stats.numMessages)
        assert.deepEqual(await dev('/dev/clock'), time)
        // Names go on where they were.
        const [{ name, fid }] = (await dev('/dev/accounts', {})).accounts
        assert.equal((await get(`/v1/userNameProofByName?name=${name}`)).fid, fid)
      })

      it('moving the clock runs everything that becomes due', async () => {
        assert((await newest()) !== undefined)
        await dev('/dev/clock', { advanceSeconds: 3 * DAY_SECONDS + 1 })
        assert.equal(await newest(), undefined, 'events of three days ago are gone')
        assert((await dbstats()).numMessages > 0)
      })

      it('ten years later every cast, name and profile is there', async () => {
        const content = async () => ({
          casts: (await get('/v1/castsByFid?fid=1&pageSize=1000')).messages,
          profile: (await get('/v1/userDataByFid?fid=1')).messages,
          name: await get('/v1/userNameProofByName?name=rook'),
          stored: (await dbstats()).numMessages,
        })
        const before = await content()
        assert(before.casts.length > 1 && before.profile.length === 5)
        for (let years = 0; years < 10; years += 2) {
          await dev('/dev/clock', { advanceSeconds: 2 * 366 * DAY_SECONDS })
        }
        assert.deepEqual(await content(), before)
      })

      it('the clock moves forward by a bounded whole number only', async () => {
        for (const advanceSeconds of [0, -1, 1.5, '60', null, 2 * 366 * DAY_SECONDS + 1]) {
          const answer = await dev('/dev/clock', { advanceSeconds })
          assert.equal(answer.code, 'bad_request.validation_failure')
          assert.equal(answer.field, 'advanceSeconds')
        }
        const before = await dev('/dev/clock')
        // Moved in the store, because each step of two years over HTTP runs everything that becomes due.
        const stored = new DevClock(clock)
        await stored.load(app.storage)
        await stored.advance(app.storage, MAX_AHEAD_SECONDS - before.aheadSeconds - DAY_SECONDS)
        await app.stop()
        app = await start()
        const answer = await dev('/dev/clock', { advanceSeconds: DAY_SECONDS + 1 })
        assert.equal(answer.code, 'bad_request.invalid_param')
        const { aheadSeconds } = await dev('/dev/clock', { advanceSeconds: DAY_SECONDS })
        assert.equal(aheadSeconds, MAX_AHEAD_SECONDS)
      })

      it('a reset restores the first world and the real time, and the log begins at that time', async (t) => {
        await dev('/dev/accounts', {})
        const { storeId } = await get('/v1/info')
        const before = await get('/v1/events?from_event_id=0')
        const seconds = WORLD_START_MS / 1000
        assert.ok(before.events.at(-1).timestamp > networkTime(WORLD_START_MS))
        const leaving = new AbortController()
        t.after(() => leaving.abort())
        const stream = await fetch(`${app.urls.hub}/v1/events/stream?from_event_id=latest`, {
          signal: leaving.signal,
        })
        assert.equal(stream.status, 200)
        const { accounts } = await dev('/dev/reset', 'nothing')
        // The stream ends: its position is of another log.
        await stream.text()
        const first = await get('/v1/events?from_event_id=0')
        for (const { timestamp } of first.events) {
          assert.equal(timestamp + NETWORK_EPOCH_MS / 1000, seconds)
        }
        const last = await newest()
        await dev('/dev/reset', 'nothing')
        const again = await get('/v1/events?from_event_id=0')
        assert(again.events[0].id > last, 'without a clock that was moved, ids go on')
        // The same ids again, for other events: nothing that was kept by them is shown.
        const pages = async () =>
          Promise.all([1, 2].map((fid) => get(`/v1/castsByFid?fid=${fid}&reverse=1`)))
        for (const text of ['an old text', 'a new text']) {
          await dev('/dev/clock', { advanceSeconds: 120 })
          await dev('/dev/reset', 'nothing')
          const [{ fid, appPrivateKey }] = (await dev('/dev/accounts')).accounts
          const origin = { fid, timestamp: networkTime(clock.now()), network: DEVNET }
          const message = buildMessage(castAdd(origin, text), fromHex(appPrivateKey)!)
          const answer = await fetch(`${app.urls.hub}/v1/submitMessage`, {
            method: 'POST',
            headers: { 'content-type': 'application/octet-stream' },
            body: encodeEnvelope(message) as Uint8Array<ArrayBuffer>,
          })
          assert.equal(answer.status, 200)
          // Asked twice, so that texts are kept.
          for (let i = 0; i < 3; i++) {
            const [own] = await pages()
            assert.equal(own.messages[0].data.castAddBody.text, text)
            const { events } = await get('/v1/events?from_event_id=0')
            assert.equal(events.at(-1).mergeMessageBody.message.data.castAddBody.text, text)
          }
        }
        // Three days later its events are gone.
        await dev('/dev/clock', { advanceSeconds: 3 * DAY_SECONDS + 3_600 })
        assert.deepEqual((await get('/v1/events?from_event_id=0')).events, [])
        await dev('/dev/reset', 'nothing')
        assert.equal(accounts.length, 10)
        const stats = await dbstats()
        assert.equal(stats.numFidRegistrations, 10)
        assert.equal((await dev('/dev/clock')).aheadSeconds, 0)
        const after = (await get('/v1/info')).storeId
        assert.ok(storeId && after && storeId !== after, `${storeId} ${after}`)
        const [{ fid, name }] = (await dev('/dev/accounts', {})).accounts
        assert.deepEqual([fid, name], [11, 'bird-11'])
        await app.stop()
        app = await start()
        assert.equal((await dbstats()).numFidRegistrations, 11)
        assert.equal((await get('/v1/info')).storeId, after)
      })

      it('a new account is named after its fid, also when a user has registered before', async () => {
        const deadline = BigInt(WORLD_START_MS / 1_000 + DAY_SECONDS)
        const user = await signRegister(devAccount(40).custody, { deadline })
        assert.equal((await app.ledger!.registerFor(user)).fid, 12)
        const [{ fid, name }] = (await dev('/dev/accounts', {})).accounts
        assert.deepEqual([fid, name], [13, 'bird-13'])
        const { accounts } = await dev('/dev/accounts')
        assert.equal(accounts.at(-1).name, 'bird-13')
      })

      it('web pages of other origins cannot call the helpers', async () => {
        const headers = { origin: 'https://elsewhere.example' }
        const url = `${app.urls.operations}/dev/reset`
        assert.equal((await fetch(url, { method: 'POST', headers })).status, 403)
      })
    })
  }

  it('two servers started at once on one empty database make one world', async (t) => {
    const place = await createPlace('postgres')
    const apps = await Promise.allSettled(
      ['', ''].map(() =>
        startDevNetwork({
          config: readConfig({ ...place.env, ROOKERY_LOG_LEVEL: 'silent' }, 'development'),
        }),
      ),
    )
    t.after(async () => {
      for (const app of apps) if (app.status === 'fulfilled') await app.value.stop()
      await place.remove()
    })
    const reasons = apps.map((app) => (app.status === 'rejected' ? app.reason : undefined))
    assert.deepEqual(reasons, [undefined, undefined])
    for (const app of apps) {
      if (app.status === 'rejected') continue
      assert.equal(await app.value.storage.accounts.count(), 10)
      const answer = await fetch(`${app.value.urls.hub}/v1/castsByFid?fid=1`)
      const { messages }: Json = await answer.json()
      const texts = messages.map(({ data }: Json) => data.castAddBody.text)
      assert(texts.length > 1)
      assert.equal(new Set(texts).size, texts.length, 'each cast of the world is there once')
    }
  })

  it('a store that has accounts already is not seeded', async () => {
    const place = await createPlace('sqlite')
    const config = readConfig({ ...place.env, ROOKERY_LOG_LEVEL: 'silent' }, 'development')
    const first = await startDevNetwork({ config })
    await first.storage.reset()
    const { privateKeyToAccount, generatePrivateKey } = await import('viem/accounts')
    const { signRegister } = await import('../src/kernel/accounts/signatures/sign.ts')
    const stranger = privateKeyToAccount(generatePrivateKey())
    const deadline = BigInt(Math.floor(Date.now() / 1000) + 60)
    await first.ledger!.registerFor(await signRegister(stranger, { deadline }))
    await first.stop()
    const again = await startDevNetwork({ config })
    assert.equal(await again.storage.accounts.count(), 1)
    await again.stop()
    await place.remove()
  })

  it('the network starts when the ledger confirms with a delay', async () => {
    const place = await createPlace('sqlite')
    const env = { ...place.env, ROOKERY_CONFIRMATION_MS: '150', ROOKERY_SIGNUP_UNITS: '0' }
    const app = await startDevNetwork({ config: readConfig(env, 'development') })
    assert.equal(await app.storage.accounts.count(), 10)
    await app.stop()
    await place.remove()
  })
})
