import { pushRows } from '../src/features/push/tables/pushes.ts'
// Devices are told of notifications: by the standards of Web Push, only of what their owners asked for and do not mute, and never
// more often or longer than the bounds say. The push service is a server of this test; devices decrypt by themselves.

import assert from 'node:assert/strict'
import { createECDH, createPublicKey, verify } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { MAX_PUSHES_PER_HOUR, pushNotice } from '../src/features/push/push-notice.ts'
import { MAX_FAILURES, PUSH_WAITS_MS } from '../src/features/push/sending.ts'
import { MAX_DEVICES_PER_FID, PUSH_KINDS } from '../src/features/push/tables/pushes.ts'
import { keyRemoved, sealBlock } from '../src/kernel/accounts/events.ts'
import { CastIdSchema } from '../src/kernel/protocol/wire/message_pb.js'
import { bytesOfHash, createNetwork, type Network } from './app-api-support.ts'
import { signEvent, startAppServer } from './mini-apps-support.ts'
import { decryptPush, type PushService, startPushService } from './push-support.ts'
import { until } from './until.ts'
import { enginesOf } from './world.ts'

const PATH = '/v2/farcaster/push/own'
const fromBase64url = (text: string) => Buffer.from(text, 'base64url')

const castOf = (fid: number, hash: string) => {
  const value = create(CastIdSchema, { fid: BigInt(fid), hash: bytesOfHash(hash) })
  return { case: 'parentCastId' as const, value }
}

test('the devices of these tests decrypt the example of RFC 8291', () => {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(fromBase64url('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'))
  const auth = fromBase64url('BTBZMqHH6r4Tts7J_aSIgg')
  const message =
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz' +
    'AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN'
  assert.equal(
    decryptPush({ ecdh, auth }, fromBase64url(message)),
    'When I grow up, I want to be a watermelon',
  )
})

for (const engine of enginesOf(import.meta.url)) {
  describe(`pushes on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    let service: PushService
    const account = (fid: number) => net.accounts.find((one) => one.fid === fid)!
    before(async () => {
      service = await startPushService()
      net = await createNetwork(engine, [2, 3, 4, 5, 6, 7, 8, 9, 10], {
        ROOKERY_SERVER_CONTACT: 'ada@birds.example',
      })
    })
    after(async () => {
      await net.world.close()
      service.close()
    })

    const call = async (fid: number, method: 'GET' | 'POST' | 'DELETE', body?: object) => {
      const response = await fetch(net.world.app.urls.app + PATH, {
        method,
        headers: {
          authorization: `Bearer ${net.world.token(account(fid))}`,
          'content-type': 'application/json',
          'x-api-key': 'web',
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
      return { status: response.status, body: (await response.json()) as any }
    }
    const addDevice = async (fid: number, name: string, kinds: readonly string[] = PUSH_KINDS) => {
      const device = service.device(name)
      const answer = await call(fid, 'POST', { ...device.subscription, kinds, name })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      return device
    }
    const send = () => net.world.app.jobs.run('send pushes')
    const push = async () => {
      await net.indexed()
      await net.world.app.jobs.run('push notices')
      await send()
    }

    test('a device is told of a reply with its text, by a message that only it can read and the server has signed', async () => {
      const device = await addDevice(2, 'phone')
      const hash = await net.cast(account(2), { text: 'Who is there?' })
      const reply = await net.cast(account(3), {
        text: 'A secret\u202e answer',
        parent: castOf(2, hash),
      })
      await push()
      const [told, ...more] = device.told()
      assert.deepEqual(more, [])
      assert.equal(told!.title, '@!3 replied to you')
      assert.equal(told!.body, 'A secret answer')
      assert.equal(told!.url, `/cast/${reply}`)
      const [got] = service.got
      assert.ok(!got!.body.includes('secret'))
      assert.equal(got!.headers['content-encoding'], 'aes128gcm')
      assert.match(String(got!.headers.ttl), /^86\d\d\d$/)
      assert.match(String(got!.headers.topic), /^[\w-]{32}$/)
      const [, jwt = '', key = ''] = /^vapid t=(\S+), ?k=(\S+)$/.exec(got!.headers.authorization!)!
      assert.equal((await call(2, 'GET')).body.public_key, key)
      const [head = '', claims = '', signature = ''] = jwt.split('.')
      const point = fromBase64url(key)
      const publicKey = createPublicKey({
        format: 'jwk',
        key: {
          ...{ kty: 'EC', crv: 'P-256' },
          x: point.subarray(1, 33).toString('base64url'),
          y: point.subarray(33).toString('base64url'),
        },
      })
      const signed = Buffer.from(`${head}.${claims}`)
      const bytes = fromBase64url(signature)
      assert.ok(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes))
      const { aud, exp, sub } = JSON.parse(fromBase64url(claims).toString())
      assert.equal(aud, service.origin)
      // The public address of this network is no https URL.
      assert.equal(sub, 'mailto:ada@birds.example')
      assert.ok(exp * 1_000 - Date.now() <= 24 * 3_600_000)
    })

    test('nobody is told unless they ask, and then of the kinds that they asked for alone', async () => {
      const hash = await net.cast(account(4), { text: 'Before any device' })
      await net.like(account(3), 4, hash)
      await push()
      const device = await addDevice(4, 'only-follows', ['follows'])
      await net.like(account(2), 4, hash)
      await net.follow(account(3), 4)
      await push()
      assert.deepEqual(
        device.told().map(({ title, url }) => [title, url]),
        [['@!3 followed you', '/@!3']],
      )
      device.forget()
      const { body } = await call(4, 'POST', { ...device.subscription, kinds: ['likes'] })
      assert.deepEqual(body.kinds, ['likes'])
      assert.ok(body.pushed_at)
      const release = await net.world.app.views!.hold()
      await net.like(account(5), 4, hash)
      await net.like(account(6), 4, hash)
      release()
      await push()
      assert.deepEqual(
        device.told().map(({ title, body: text }) => [title, text]),
        [['@!5 and 1 other liked your post', 'Before any device']],
      )
    })

    test('a device is told in the language of its account, and in the words of the server in English', async () => {
      const language = async (code: string | null) => {
        const response = await fetch(`${net.world.app.urls.app}/v2/farcaster/language/own`, {
          method: 'PUT',
          headers: {
            authorization: `Bearer ${net.world.token(account(4))}`,
            'content-type': 'application/json',
            'x-api-key': 'web',
          },
          body: JSON.stringify({ language: code }),
        })
        assert.equal(response.status, 200)
      }
      const device = await addDevice(4, 'speaks', ['likes'])
      const likedBy = async (fid: number) => {
        await net.like(account(fid), 4, await net.cast(account(4), { text: `To ${fid}` }))
        await push()
        const [told] = device.told()
        device.forget()
        return told!.title
      }
      await language('en-XA')
      assert.equal(await likedBy(9), `[@!9 líkéd yöür post${'~'.repeat(10)}]`)
      await language(null)
      assert.equal(await likedBy(10), '@!10 liked your post')
    })

    test('nobody is told of accounts and words that they mute, or of accounts that they block', async () => {
      const device = await addDevice(5, 'quiet')
      const mute = async (body: object) => {
        const response = await fetch(`${net.world.app.urls.app}/v2/farcaster/mute/own`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${net.world.token(account(5))}`,
            'content-type': 'application/json',
            'x-api-key': 'web',
          },
          body: JSON.stringify(body),
        })
        assert.equal(response.status, 200)
      }
      await mute({ fid: 6 })
      await mute({ word: 'spoiler' })
      const own = await net.cast(account(5), { text: 'Mine' })
      const blocked = await net.world.platform('/fc/blocked-users', {
        token: net.world.token(account(5)),
        body: { blockFid: 7 },
      })
      assert.equal(blocked.status, 200)
      const mention = (fid: number, text: string) =>
        net.cast(account(fid), { text, mentions: [5n], mentionsPositions: [0] })
      await mention(6, ' from a muted account')
      await net.like(account(7), 5, own)
      await mention(8, ' a spoiler')
      await mention(8, ' something nice')
      await push()
      assert.deepEqual(
        device.told().map(({ title, body }) => [title, body]),
        [['@!8 mentioned you', '@!5 something nice']],
      )
    })

    test('a mention that was held is told when it is shown, also hours later, and never twice', async () => {
      const device = await addDevice(9, 'patient', ['mentions'])
      const moderate = async (path: string, body: object) => {
        const { status } = await net.world.operate(`/moderation/${path}`, { body })
        assert.equal(status, 200)
      }
      await moderate('held-terms', { kind: 'word', term: 'ferrets' })
      const mentions = { mentions: [9n], mentionsPositions: [0] }
      const hash = await net.cast(account(8), { text: ' dear ferrets', ...mentions })
      await push()
      assert.deepEqual(device.told(), [])
      net.world.clock.advance(3 * 3_600_000)
      await moderate(`casts/${hash}/unhide`, { reason: 'they are fine' })
      await push()
      await push()
      const told = () => device.told().map(({ title, body }) => [title, body])
      const first = ['@!8 mentioned you', '@!9 dear ferrets']
      assert.deepEqual(told(), [first])
      // Nor does another process tell it again, while the mention is still news.
      const soon = await net.cast(account(8), { text: ' more ferrets', ...mentions })
      await push()
      await moderate(`casts/${soon}/unhide`, { reason: 'they are fine' })
      await push()
      const second = ['@!8 mentioned you', '@!9 more ferrets']
      assert.deepEqual(told(), [first, second])
      await net.world.restart()
      await push()
      assert.deepEqual(told(), [first, second])
      // Nor one that another process reads for the first time after it was shown.
      const late = await net.cast(account(8), { text: ' late ferrets', ...mentions })
      await net.indexed()
      await moderate(`casts/${late}/unhide`, { reason: 'they are fine' })
      await net.world.restart()
      await push()
      await push()
      assert.deepEqual(told(), [first, second, ['@!8 mentioned you', '@!9 late ferrets']])
    })

    test('what a mini app sends to the notification endpoint reaches the devices that want it, once, until its user turns it off', async () => {
      const app = await startAppServer()
      const { domain, origin } = app
      const { world } = net
      const device = await addDevice(10, 'apps')
      const quiet = await addDevice(10, 'replies', ['replies'])
      const token = world.token(account(10))
      const act = async (event: string) => {
        const path = '/fc/mini-app-events'
        const prepared = await world.platform(path, { token, body: { domain, event } })
        assert.equal(prepared.status, 200, JSON.stringify(prepared.body))
        const body = signEvent(account(10), prepared.body.result)
        return (await world.platform(path, { method: 'PUT', token, body })).body.result
      }
      const { notificationDetails } = await act('miniapp_added')
      const send = async (notificationId: string, target: string) => {
        const body = {
          ...{ notificationId, title: 'Your turn', body: 'Rook\u202e moved.' },
          ...{ targetUrl: `${origin}${target}`, tokens: [notificationDetails.token] },
        }
        const { result } = (await world.platform('/v1/frame-notifications', { body })).body
        await world.app.jobs.run('send pushes')
        return result
      }
      assert.equal((await send('round-2', '/game?round=2')).successfulTokens.length, 1)
      const page = new URLSearchParams({ url: `${origin}/game?round=2` })
      const told = { title: 'Poll: Your turn', body: 'Rook moved.' }
      assert.deepEqual(
        device.told().map(({ title, body, url }) => ({ title, body, url })),
        [{ ...told, url: `/miniapps/${encodeURIComponent(domain)}?${page}` }],
      )
      // The same id counts once in 24 hours, and a second one comes too soon.
      assert.equal((await send('round-2', '/')).successfulTokens.length, 1)
      assert.equal((await send('round-3', '/')).rateLimitedTokens.length, 1)
      assert.equal(device.told().length, 1)
      world.clock.advance(31_000)
      // A page too long for a push opens the app at its start.
      assert.equal((await send('round-3', `/${'x'.repeat(1_000)}`)).successfulTokens.length, 1)
      assert.equal(device.told().at(-1)!.url, `/miniapps/${encodeURIComponent(domain)}`)
      await act('notifications_disabled')
      world.clock.advance(31_000)
      assert.equal((await send('round-4', '/')).invalidTokens.length, 1)
      assert.equal(device.told().length, 2)
      assert.deepEqual(quiet.told(), [])
      await app.close()
    })

    test('a device that the push service does not know any more is removed', async () => {
      const device = await addDevice(6, 'gone')
      const kept = await addDevice(6, 'kept')
      for (const status of [404, 410]) {
        service.answers.set(device.path, { status })
        await call(6, 'POST', { ...device.subscription, kinds: PUSH_KINDS })
        await net.world.app.storage.write('fid/6', (tx) =>
          pushNotice(
            tx,
            {
              fid: 6,
              kind: 'apps',
              title: 'Chess',
              body: 'Your turn',
              url: '/apps',
            },
            net.world.clock.now(),
          ),
        )
        await send()
        const { body } = await call(6, 'GET')
        assert.deepEqual(
          body.devices.map(({ id }: { id: string }) => id),
          [kept.id],
        )
      }
      assert.equal(kept.told().length, 2)
      assert.equal(await net.world.app.storage.of(pushRows).waitingCount(10), 0)
    })

    const notify = (fid: number, more: object = {}) =>
      net.world.app.storage.write(`fid/${fid}`, (tx) =>
        pushNotice(
          tx,
          {
            fid,
            kind: 'apps',
            title: 'Chess',
            body: 'Your turn',
            url: '/apps',
            ...more,
          },
          net.world.clock.now(),
        ),
      )

    test('a push that fails is sent again after longer and longer waits, and given up in the end', async () => {
      const device = await addDevice(7, 'failing')
      service.answers.set(device.path, { status: 503 })
      await notify(7)
      await send()
      for (const [i, wait] of PUSH_WAITS_MS.entries()) {
        assert.equal(device.told().length, i + 1)
        net.world.clock.advance(wait - 1)
        await send()
        assert.equal(device.told().length, i + 1, `before ${wait} ms`)
        net.world.clock.advance(1)
        await send()
      }
      assert.equal(device.told().length, PUSH_WAITS_MS.length + 1)
      assert.equal(await net.world.app.storage.of(pushRows).waitingCount(10), 0)
      // It waits as long as the push service says.
      service.answers.set(device.path, { status: 429, headers: { 'retry-after': '300' } })
      device.forget()
      await notify(7)
      await send()
      net.world.clock.advance(299_000)
      await send()
      assert.equal(device.told().length, 1)
      service.answers.delete(device.path)
      net.world.clock.advance(1_000)
      await send()
      assert.equal(device.told().length, 2)
      const [kept] = await net.world.app.storage.of(pushRows).devicesOf(7)
      assert.equal(kept?.failures, 0)
    })

    test('a device that takes nothing is removed after some pushes, and an old push is not sent', async () => {
      const device = await addDevice(8, 'refusing')
      service.answers.set(device.path, { status: 400 })
      for (let i = 1; i < MAX_FAILURES; i++) {
        await notify(8, { tag: `${i}` })
        await send()
      }
      assert.equal((await net.world.app.storage.of(pushRows).devicesOf(8)).length, 1)
      await notify(8)
      net.world.clock.advance(24 * 3_600_000)
      device.forget()
      await send()
      assert.deepEqual(device.told(), [])
      await notify(8)
      await send()
      assert.deepEqual(await net.world.app.storage.of(pushRows).devicesOf(8), [])
    })

    test('devices that do not answer keep no other account waiting, and are asked one push at a time', async () => {
      const slow = await addDevice(2, 'slow')
      const slower = await addDevice(2, 'slower')
      const quick = await addDevice(5, 'quick')
      const open = Promise.withResolvers<void>()
      for (const { path } of [slow, slower]) {
        service.answers.set(path, { status: 503, after: open.promise })
      }
      const locks = ['fid/2', 'fid/5'] as const
      await net.world.app.storage.write(locks, async (tx) => {
        const notice = {
          kind: 'apps',
          title: 'Chess',
          body: 'Your turn',
          url: '/apps',
          mail: undefined,
        } as const
        const now = net.world.clock.now()
        for (let i = 0; i < MAX_PUSHES_PER_HOUR; i++) {
          await pushNotice(tx, { ...notice, fid: 2, tag: `${i}` }, now)
        }
        await pushNotice(tx, { ...notice, fid: 5 }, now)
      })
      const sending = send()
      await until(async () => quick.told().length === 1, 'the other account is told')
      open.resolve()
      await sending
      // The second device was asked after the first one, and then both had failed.
      assert.deepEqual([slow.told().length, slower.told().length], [1, 1])
      net.world.clock.advance(PUSH_WAITS_MS[0])
      for (const { path } of [slow, slower]) service.answers.delete(path)
      await send()
      for (const device of [slow, slower]) {
        assert.equal(device.told().length, MAX_PUSHES_PER_HOUR + 1)
        await call(2, 'DELETE', { id: device.id })
      }
    })

    test('an account is told a bounded number of times an hour, of each kind', async () => {
      const device = await addDevice(9, 'busy')
      for (let i = 0; i < MAX_PUSHES_PER_HOUR + 5; i++) {
        const told = await notify(9, { tag: `${i}` })
        assert.equal(told, i < MAX_PUSHES_PER_HOUR ? 1 : 0)
      }
      assert.equal(await notify(9, { kind: 'likes' }), 1)
      await send()
      assert.equal(device.told().length, MAX_PUSHES_PER_HOUR + 1)
      net.world.clock.advance(3_600_000)
      assert.equal(await notify(9), 1)
      await send()
      await assert.rejects(notify(9, { url: 'https://other.example/' }), /a path of the web client/)
      await assert.rejects(notify(9, { url: '//other.example/' }), /a path of the web client/)
      const long = await notify(9, { title: `${'😀'.repeat(200)}`, body: 'x '.repeat(500) })
      assert.equal(long, 1)
      await send()
      const last = device.told().at(-1)!
      assert.equal([...last.title].length, 100)
      assert.ok(last.title.endsWith('😀…') && last.body.length <= 200)
    })

    test('what is no subscription of a public push service is refused, with its field', async () => {
      const { subscription } = service.device('bad')
      const good = { ...subscription, kinds: ['likes'] }
      const bad: [object, string][] = [
        [{ endpoint: 'https://10.0.0.1/x' }, 'endpoint'],
        [{ endpoint: 'https://169.254.169.254/latest' }, 'endpoint'],
        [{ endpoint: 'http://push.example/x' }, 'endpoint'],
        [{ endpoint: 'https://push.example:8443/x' }, 'endpoint'],
        [{ endpoint: 'https://me@push.example/x' }, 'endpoint'],
        [{ endpoint: 'no url' }, 'endpoint'],
        [{ endpoint: `https://push.example/${'x'.repeat(2_000)}` }, 'endpoint'],
        [{ p256dh: Buffer.alloc(65, 4).toString('base64url') }, 'p256dh'],
        [{ p256dh: 'AAAA' }, 'p256dh'],
        [{ auth: 'AAAA' }, 'auth'],
        [{ auth: '!'.repeat(22) }, 'auth'],
        [{ kinds: ['everything'] }, 'kinds'],
        [{ kinds: [] }, 'kinds'],
        [{ name: 'x'.repeat(61) }, 'name'],
      ]
      for (const [change, field] of bad) {
        const { status, body } = await call(2, 'POST', { ...good, ...change })
        assert.equal(status, 400, JSON.stringify(change))
        assert.match(body.property ?? body.message, RegExp(field), JSON.stringify(body))
      }
      const response = await fetch(net.world.app.urls.app + PATH, {
        headers: { 'x-api-key': 'web' },
      })
      assert.equal(response.status, 401)
    })

    test('an account has a bounded number of devices, and a device belongs to who asked last', async () => {
      for (let i = 0; i < MAX_DEVICES_PER_FID; i++) await addDevice(3, `many-${i}`)
      const { subscription } = service.device('one-more')
      const refused = await call(3, 'POST', { ...subscription, kinds: ['likes'] })
      assert.deepEqual([refused.status, refused.body.code], [400, 'bad_request.conflict'])
      const moved = await call(4, 'POST', {
        ...service.device('many-0').subscription,
        kinds: ['likes'],
      })
      assert.equal(moved.status, 200)
      assert.equal((await call(3, 'GET')).body.devices.length, MAX_DEVICES_PER_FID - 1)
      // Only its owner can remove it.
      await call(3, 'DELETE', { id: moved.body.id })
      const ids = (await call(4, 'GET')).body.devices.map(({ id }: { id: string }) => id)
      assert.ok(ids.includes(moved.body.id))
      await call(4, 'DELETE', { id: moved.body.id })
      await call(4, 'DELETE', { id: moved.body.id })
      assert.equal((await call(4, 'GET')).body.devices.length, ids.length - 1)
    })

    test('a device is told nothing once the key that asked for it is removed', async () => {
      const device = await addDevice(2, 'signed-out')
      const seconds = Math.floor(net.world.clock.now() / 1_000)
      const block = { chainId: 10, blockNumber: 900_002, timestamp: seconds }
      await net.world.app.ledger!.importEvents(sealBlock([keyRemoved(2, account(2).key)], block))
      await notify(2)
      await send()
      assert.deepEqual(device.told(), [])
      assert.deepEqual(await net.world.app.storage.of(pushRows).devicesOf(2), [])
    })

    test('an export has the devices of an account, and an erasure removes them and what waits with its words', async () => {
      const device = await addDevice(6, 'mine', ['replies'])
      const other = await addDevice(4, 'other', ['replies'])
      service.answers.set(other.path, { status: 503 })
      const hash = await net.cast(account(4), { text: 'Say something' })
      await net.cast(account(6), { text: 'Words that must go', parent: castOf(4, hash) })
      await push()
      assert.equal(await net.world.app.storage.of(pushRows).waitingCount(10), 1)
      const exported = await net.world.operate('/moderation/accounts/6/rows')
      const { row } = exported.body.rows.find(
        (one: { row: { endpoint?: string } }) => one.row.endpoint === device.endpoint,
      )
      assert.deepEqual([row.kinds, row.secret], ['replies', undefined])
      const decision = { actor: 'operator', reason: 'asked for' }
      const erased = await net.world.operate('/moderation/accounts/6/erase', { body: decision })
      assert.equal(erased.status, 200)
      await until(
        async () => (await net.world.app.storage.of(pushRows).devicesOf(6)).length === 0,
        'the devices are removed',
      )
      assert.equal(await net.world.app.storage.of(pushRows).waitingCount(10), 0)
    })
  })
}
