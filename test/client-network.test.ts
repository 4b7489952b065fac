// The part of `rookery/client` that does what every app needs: accounts, names, keys for apps, sign-in and messages as
// they come; with wallets of viem.

import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createWalletClient, viemConnector } from '@farcaster/auth-client'
import * as client from 'rookery/client'
import { privateKeyToAccount } from 'viem/accounts'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { DAY_MS, networkTime } from '../src/kernel/protocol/time.ts'
import { bytes, hex, inWorld, onEngines } from './hub-support.ts'
import { keyRequestClient } from './key-requests-support.ts'
import { until } from './until.ts'

const walletOf = (seed: number) => privateKeyToAccount(hex(bytes(32, seed)) as `0x${string}`)
const FAST = { pollMs: 10 }

onEngines('rookery/client for a whole server', (world) => {
  const network = () => client.createNetwork({ url: world().app.urls.web })
  const signerOf = (seed: number) => client.keySigner(bytes(32, seed))
  const post = async (fid: number, signer: client.Signer, text: string) => {
    const timestamp = networkTime(world().clock.now())
    const author = { fid, network: 'devnet', timestamp } as const
    const { bytes } = await client.signMessage(client.castAdd({ text }), author, signer)
    return network().hub.post('/v1/submitMessage', bytes)
  }

  test('a wallet registers an account with a key and a name, and the key casts', async () => {
    const wallet = walletOf(70)
    const signer = await signerOf(71)
    const fid = await client.registerAccount(network(), wallet, {
      key: signer.publicKey,
      ...FAST,
    })
    await client.claimName(network(), wallet, { fid, name: 'wren' })
    assert.deepEqual((await network().registry.get('/availability', { name: 'wren' })).fid, fid)
    const { data } = await post(fid, signer, 'by a new account')
    assert.equal(data.fid, fid)
    const again = client.registerAccount(network(), wallet, FAST)
    await assert.rejects(again, (error) => client.hasCode(error, 'HasId'))
    const taken = client.claimName(network(), walletOf(72), { fid, name: 'wren' })
    await assert.rejects(taken, (error: client.RookeryError) => error.status >= 400)
  })

  test('the wallet of a browser signs what a wallet of a library signs', async () => {
    const wallet = walletOf(73)
    const asked: string[] = []
    const provider = {
      async request({ method, params }: { method: string; params: unknown[] }) {
        asked.push(method)
        const [address, typedData] = params as [string, string]
        assert.equal(address, wallet.address)
        return wallet.signTypedData(JSON.parse(typedData))
      },
    }
    const inBrowser = client.providerWallet(provider, wallet.address)
    assert.ok((await client.registerAccount(network(), inBrowser, FAST)) > 0)
    assert.deepEqual(asked, ['eth_signTypedData_v4'])
  })

  test('an app asks for a key, and learns who approved or that the user denied', async () => {
    const wallet = walletOf(80)
    const fid = await client.registerAccount(network(), wallet, FAST)
    const app = { fid, wallet }
    const userWallet = walletOf(81)
    const user = {
      fid: await client.registerAccount(network(), userWallet, FAST),
      account: userWallet,
    }
    const signer = await signerOf(82)
    const request = await client.requestKey(network(), app, signer.publicKey)
    assert.match(request.approvalUrl, /^http.*token=0x/)
    const approved = request.approved(FAST)
    const { approve, deny } = keyRequestClient(world())
    assert.equal((await approve(request.token, user)).status, 200)
    assert.equal(await approved, user.fid)
    assert.equal((await post(user.fid, signer, 'by an app')).data.fid, user.fid)

    const other = await client.requestKey(network(), app, (await signerOf(83)).publicKey)
    await deny(other.token, user)
    await assert.rejects(other.approved(FAST), (error) => client.hasCode(error, 'denied'))
    const never = await client.requestKey(network(), app, (await signerOf(84)).publicKey)
    const late = never.approved({ signal: AbortSignal.abort(new Error('too late')) })
    await assert.rejects(late, /too late/)
  })

  test('a site learns who signs in, with the message and the signature', async () => {
    const wallet = walletOf(90)
    const fid = await client.registerAccount(network(), wallet, FAST)
    const site = { domain: 'app.example', siweUri: 'https://app.example/login' }
    const { url, nonce, signedIn } = await client.signIn(network(), site)
    const channelToken = new URL(url).searchParams.get('channelToken')!
    const { urls } = world().app
    const ethereum = viemConnector({ rpcUrl: `${urls.accounts}/` })
    const phone = createWalletClient({ relay: urls.platform, ethereum })
    const address = wallet.address
    const params = { domain: site.domain, uri: site.siweUri, nonce, address, fid }
    const { message } = phone.buildSignInMessage(params)
    const signature = await wallet.signMessage({ message })
    const answer = signedIn(FAST)
    await phone.authenticate({ message, signature, fid, channelToken, authKey: '' } as never)
    const person = await answer
    assert.deepEqual([person.fid, person.message, person.signature], [fid, message, signature])
  })

  test('a site learns that the user declined', async () => {
    const site = { domain: 'app.example', siweUri: 'https://app.example/login' }
    const { url, signedIn } = await client.signIn(network(), site)
    const token = new URL(url).searchParams.get('channelToken')!
    const answer = signedIn(FAST)
    const headers = { authorization: `Bearer ${token}` }
    await network().platform.post('/v1/channel/decline', undefined, { headers })
    await assert.rejects(answer, (error) => client.hasCode(error, 'denied'))
  })

  test('people that a text mentions are found by name, and a cast is read with their names', async () => {
    const wallet = walletOf(95)
    const signer = await signerOf(96)
    const fid = await client.registerAccount(network(), wallet, {
      key: signer.publicKey,
      ...FAST,
    })
    await client.claimName(network(), wallet, { fid, name: 'dunlin' })
    const text = '🐦 @dunlin, and @nobody-here'
    const mentioned = await client.mentionsIn(network(), text)
    assert.deepEqual(mentioned, {
      text: '🐦 , and @nobody-here',
      mentions: [fid],
      mentionsPositions: [5],
    })
    const author = {
      fid,
      network: 'devnet',
      timestamp: networkTime(world().clock.now()),
    } as const
    const send = async (body: Parameters<typeof client.signMessage>[0]) => {
      const { bytes } = await client.signMessage(body, author, signer)
      return network().hub.post('/v1/submitMessage', bytes)
    }
    const cast = await send(client.castAdd(mentioned))
    assert.equal(await client.textOf(network(), cast), `🐦 @!${fid}, and @nobody-here`)
    await send(client.userData('username', 'dunlin'))
    assert.equal(await client.textOf(network(), cast), text)
    const like = await send(client.reactionAdd('like', { fid, hash: cast.hash }))
    await assert.rejects(
      client.textOf(network(), like),
      /must be a cast of the hub, not MESSAGE_TYPE_REACTION/,
    )
  })

  test('the pages of a list come one after the other', async () => {
    const { seed } = await world().account(97)
    const signer = await client.keySigner(seed)
    const hashes: string[] = []
    for (const text of ['one', 'two', 'three']) hashes.push((await post(97, signer, text)).hash)
    const { hub } = network()
    const pages: string[][] = []
    for await (const { messages } of client.paginate(hub, '/v1/castsByFid', {
      fid: 97,
      pageSize: 2,
    })) {
      pages.push(messages.map(({ hash }) => hash))
    }
    assert.deepEqual(
      pages.map(({ length }) => length),
      [2, 1],
    )
    assert.deepEqual(pages.flat().sort(), hashes.sort())
  })

  test('a thread has the answers of everybody, each below the cast that it answers', async () => {
    const [one, two] = [await world().account(98), await world().account(99)]
    const [asking, answering] = [await client.keySigner(one.seed), await client.keySigner(two.seed)]
    const answer = async (
      fid: number,
      signer: client.Signer,
      text: string,
      parent?: client.CastId,
    ) => {
      const timestamp = networkTime(world().clock.now())
      const body = client.castAdd({ text, ...(parent && { parent }) })
      const { bytes } = await client.signMessage(
        body,
        { fid, network: 'devnet', timestamp },
        signer,
      )
      const { data, hash } = await network().hub.post('/v1/submitMessage', bytes)
      return { fid: data.fid, hash }
    }
    const first = await answer(98, asking, 'first')
    const a = await answer(99, answering, 'a', first)
    await answer(98, asking, 'a1', a)
    await answer(99, answering, 'b', first)
    type Texts = { readonly [text: string]: Texts }
    const texts = ({ cast, replies }: client.Thread): Texts => ({
      [(cast.data as { castAddBody: { text: string } }).castAddBody.text]: Object.assign(
        {},
        ...replies.map(texts),
      ),
    })
    const whole = await client.thread(network(), first)
    assert.deepEqual([texts(whole), whole.isComplete], [{ first: { a: { a1: {} }, b: {} } }, true])
    const cut = await client.thread(network(), first, { max: 3 })
    assert.deepEqual([texts(cut), cut.isComplete], [{ first: { a: {}, b: {} } }, false])
    const exact = await client.thread(network(), first, { max: 4 })
    assert.equal(exact.isComplete, true)
  })

  test('messages are followed by author and type, and a later run continues after the last one', async () => {
    const [first, second] = [await world().account(60), await world().account(61)]
    const stop = new AbortController()
    const { hub } = network()
    const filter = { fids: [60], types: ['MESSAGE_TYPE_CAST_ADD'], fromStart: true } as const
    const followed = client.followMessages(hub, filter, { signal: stop.signal })
    await post(61, await client.keySigner(second.seed), 'by somebody else')
    const cast = await post(60, await client.keySigner(first.seed), 'one')
    const { value } = await followed.next()
    assert.equal(value!.message.hash, cast.hash)
    await followed.return()
    const next = await post(60, await client.keySigner(first.seed), 'two')
    const options = { signal: stop.signal, lastEventId: value!.id }
    const later = client.followMessages(hub, filter, options)
    assert.equal((await later.next()).value!.message.hash, next.hash)
    stop.abort()
    assert.equal((await later.next()).done, true)
  })

  for (const [what, cut] of [
    ['is lost', 'close'],
    ['falls silent', 'silence'],
  ] as const) {
    test(`what is merged while a connection ${what} reaches a follower who had seen nothing before`, async (t) => {
      const { seed } = await world().account(62)
      const signer = await client.keySigner(seed)
      const line = await breakableLine(t, Number(new URL(world().app.urls.web).port))
      const { hub } = client.createNetwork({ url: line.url })
      const stop = new AbortController()
      const options = { signal: stop.signal, maxSilenceMs: 2_000 }
      const followed = client.followMessages(hub, { fids: [62] }, options)
      const first = followed.next()
      await line.streams(1)
      line[cut]()
      const away = await post(62, signer, `while away ${what}`)
      line.open()
      await line.streams(2)
      await post(62, signer, `after ${what}`)
      assert.equal((await first).value!.message.hash, away.hash)
      stop.abort()
      await followed.return()
    })
  }

  test('a follower learns that events after its position are no longer kept', async () => {
    const { seed } = await world().account(63)
    const signer = await client.keySigner(seed)
    const { hub } = network()
    const stop = new AbortController()
    const filter = { fids: [63], types: ['MESSAGE_TYPE_CAST_ADD'] } as const
    await post(63, signer, 'long ago')
    const { events } = await hub.get('/v1/events', { from_event_id: 0, limit: 1 })
    world().clock.advance(4 * DAY_MS)
    await world().app.jobs.runAll()
    const cast = await post(63, signer, 'today')
    const options = { signal: stop.signal, lastEventId: String(events[0]!.id) }
    await assert.rejects(client.followMessages(hub, filter, options).next(), (error) => {
      assert.ok(client.hasCode(error, 'pruned'))
      return /events before \d+ are no longer kept.* onPruned/.test(error.message)
    })
    const told: number[] = []
    const onPruned = (oldest: number) => void told.push(oldest)
    const going = client.followMessages(hub, filter, { ...options, onPruned })
    assert.equal((await going.next()).value!.message.hash, cast.hash)
    assert.equal(told.length, 1)
    stop.abort()
    await going.return()
  })

  test('a follower keeps its position while nothing comes, and a later run continues there', async () => {
    const { seed } = await world().account(64)
    const signer = await client.keySigner(seed)
    const { hub } = network()
    const stop = new AbortController()
    const positions = client.memoryPositions()
    const options = { signal: stop.signal, positions }
    const waiting = client.followMessages(hub, { fids: [64] }, options).next()
    await until(() => positions.load(), 'a position while nothing comes')
    stop.abort()
    await waiting
    const cast = await post(64, signer, 'while stopped')
    const later = client.followMessages(hub, { fids: [64] }, { positions })
    assert.equal((await later.next()).value!.message.hash, cast.hash)
    await later.return()
  })
})

/** A TCP line to a port of this machine that can be closed, or made to carry nothing. */
async function breakableLine(t: TestContext, port: number) {
  let isOpen = true
  let streams = 0
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    if (!isOpen) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined).on('close', () => to.destroy())
      from.pipe(to)
    }
    // The first frame of a stream of events has its position.
    far.on('data', (bytes: Buffer) => {
      if (/^id: \d+$/m.test(bytes.toString())) streams += 1
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  t.after(() => {
    close()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close,
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
    open: () => {
      isOpen = true
    },
    /** Waits until so many streams have begun. */
    streams: (count: number) => until(() => streams >= count, `${count} streams`),
  }
}

inWorld(
  'lists of the app API',
  (world) => {
    test('the pages of a list of the app API come one after the other', async () => {
      const account = await world().account(97)
      const hashes: string[] = []
      for (const text of ['one', 'two', 'three']) {
        const cast = world().sign(account, castAdd(world().origin(account), { text }))
        assert.equal((await world().submit(cast)).status, 200)
        hashes.push(toHex(cast.hash))
      }
      const { app } = client.createNetwork({
        url: world().app.urls.web,
        credentials: { key: DEVELOPMENT_KEY },
      })
      const shown = async () => {
        const found: string[] = []
        const list = client.paginate(app, '/v2/farcaster/feed/user/casts', { fid: 97, limit: 2 })
        for await (const { casts } of list) found.push(...casts.map(({ hash }) => hash))
        return found
      }
      await until(async () => (await shown()).length === 3)
      assert.deepEqual((await shown()).sort(), hashes.sort())
    })
  },
  { env: { ROOKERY_VIEWS: 'on' } },
)
