// Texts of messages with characters that stores, tokenizers and presenters could stumble over: they come back unchanged
// everywhere, and nobody else's messages are affected.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import * as core from '@farcaster/core'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { submitMessages } from '../src/kernel/hub/submit/submit-messages.ts'
import { castAdd, linkAdd, reactionAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import { decodeMessage } from '../src/kernel/protocol/codec/decode.ts'
import { encodeEnvelope } from '../src/kernel/protocol/codec/envelope.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import { CastIdSchema } from '../src/kernel/protocol/wire/message_pb.js'
import type { Storage } from '../src/kernel/storage/storage.ts'
import { createNetwork, type Json, type Network } from './app-api-support.ts'
import { rawClient } from './grpc-support.ts'
import { accepted, hex, pathOf } from './hub-support.ts'
import { createWorld, ENGINES, type TestAccount } from './world.ts'

const URL_BYTES = 256
const DISPLAY_BYTES = 32

/** Every control character, lone emoji parts, and both ends of every range of code points that no character has. */
function unusualCharacters(): string[] {
  const UNASSIGNED = /^[\p{Cn}\p{Co}]$/u
  const OTHERS =
    /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Emoji_Modifier}\p{Regional_Indicator}\p{Variation_Selector}]$/u
  const found: string[] = []
  let before = false
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCodePoint(code)
    const isUnassigned = UNASSIGNED.test(character)
    if (isUnassigned !== before && code > 0)
      found.push(String.fromCodePoint(code - (before ? 1 : 0)))
    if (OTHERS.test(character)) found.push(character)
    before = isUnassigned
  }
  return [...found, '\u{10ffff}', '\ufdd0', '\ufffe', '\uffff']
}

/** Cuts characters into texts of at most so many bytes. */
function textsOf(characters: readonly string[], maxBytes: number): string[] {
  const texts = ['']
  for (const character of characters) {
    const longer = texts.at(-1)! + character
    if (Buffer.byteLength(longer) <= maxBytes) texts[texts.length - 1] = longer
    else texts.push(character)
  }
  return texts
}

const CHARACTERS = unusualCharacters()
/** Lists of urls are separated by commas. */
const PREFIX = 'https://a/'
const URLS = textsOf(CHARACTERS, URL_BYTES - PREFIX.length).map((text) => PREFIX + text)

for (const engine of ENGINES) {
  describe(`unusual texts on ${engine}`, () => {
    let network: Network
    let author: TestAccount
    let other: TestAccount
    before(async () => {
      network = await createNetwork(engine, [1, 2, 3])
      author = network.accounts[0]!
      other = network.accounts[1]!
    })
    after(() => network.world.close())

    const submit = async (message: SignedMessage): Promise<string> => {
      const { status, body, headers } = await network.world.submit(message)
      assert.equal(status, 200, JSON.stringify(body))
      return headers.get('x-rookery-event-id')!
    }
    const sign = (account: TestAccount, cast: Parameters<typeof castAdd>[1]) => {
      network.world.clock.advance(1_000)
      return network.world.sign(account, castAdd(network.world.origin(account), cast))
    }
    const app = async (path: string, headers: Record<string, string> = {}): Promise<Json> => {
      const response = await fetch(`${network.world.app.urls.app}/v2/farcaster${path}`, {
        headers: { 'x-api-key': DEVELOPMENT_KEY, ...headers },
      })
      const body: Json = await response.json()
      assert.equal(response.status, 200, `${path}: ${JSON.stringify(body)}`)
      return body
    }
    /** The texts of a user's casts, read once this event is applied. */
    const textsAfter = async (fid: number, eventId: string): Promise<string[]> => {
      // On PostgreSQL a process that was started again takes the views over after a few seconds.
      await network.indexed()
      const { casts } = await app(`/feed/user/casts?fid=${fid}`, { 'x-rookery-after': eventId })
      return casts.map(({ text }: Json) => text)
    }

    test('a cast with NUL in its parent url or with a lone skin tone keeps no cast of others out of feeds', async () => {
      const url = 'https://a/\0'
      for (const cast of [
        { text: 'n', parent: { case: 'parentUrl', value: url } },
        { text: 'hi \u{1f3fb}' },
      ] as const) {
        await submit(sign(author, cast))
        assert.ok((await textsAfter(2, await submit(sign(other, 'other')))).includes('other'))
      }
      const [skinTone, nul] = (await app('/feed/user/casts?fid=1')).casts
      assert.deepEqual(
        [skinTone.text, nul.parent_url, nul.root_parent_url],
        ['hi \u{1f3fb}', url, url],
      )

      await network.world.restart()
      await network.indexed()
      const restarted = await submit(sign(other, 'after the restart'))
      assert.ok((await textsAfter(2, restarted)).includes('after the restart'))

      assert.equal((await network.world.operate('/views/rebuild', { method: 'POST' })).status, 200)
      await network.indexed()
      const rebuilt = await submit(sign(other, 'after the rebuild'))
      assert.ok((await textsAfter(2, rebuilt)).includes('after the rebuild'))
      const found = await app(`/feed/parent_urls?parent_urls=${encodeURIComponent(url)}`)
      assert.deepEqual(
        found.casts.map(({ text }: Json) => text),
        ['n'],
      )
    })

    test('casts of every form with every control character and unassigned code points pass through every interface', async (t) => {
      const received = new Map<string, Json>()
      const hook = createServer(async (request, response) => {
        let body = ''
        for await (const part of request) body += part
        const { data } = JSON.parse(body)
        received.set(data.hash, data)
        response.end()
      })
      hook.listen(0, '127.0.0.1')
      await once(hook, 'listening')
      t.after(() => hook.close())
      const port = (hook.address() as AddressInfo).port
      const made = await fetch(`${network.world.app.urls.app}/v2/farcaster/webhook`, {
        method: 'POST',
        headers: { 'x-api-key': DEVELOPMENT_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({
          name: 'texts',
          url: `http://127.0.0.1:${port}/`,
          subscription: { 'cast.created': { author_fids: [1] } },
        }),
      })
      assert.equal(made.status, 200, await made.clone().text())

      const [target] = (await app('/feed/user/casts?fid=2')).casts
      const castId = {
        fid: BigInt(target.author.fid),
        hash: Buffer.from(target.hash.slice(2), 'hex'),
      }
      const formsOf = (url: string, i: number) => {
        const text = `word${i} ${url.slice(PREFIX.length)}`
        const embeds = [{ embed: { case: 'url', value: url } } as const]
        return [
          { text, embeds, parent: { case: 'parentUrl', value: url } as const },
          { text, embeds, mentions: [3n], mentionsPositions: [`word${i}`.length] },
          { text, parent: { case: 'parentCastId', value: castId } as const },
        ]
      }
      const casts = URLS.flatMap((url, i) => formsOf(url, i).map((cast) => sign(author, cast)))
      const messages = [...casts]
      const origin = network.world.origin(author)
      for (const [i, url] of URLS.entries()) {
        messages.push(
          network.world.sign(
            author,
            reactionAdd({ ...origin, timestamp: origin.timestamp + i - 1_000 }, 1, { url }),
          ),
        )
      }
      const [display] = textsOf(CHARACTERS, DISPLAY_BYTES)
      const profile = [
        [2, display!],
        [3, URLS[0]!],
        [1, URLS[1]!],
        [5, URLS.at(-1)!],
      ] as const
      for (const [type, value] of profile) {
        messages.push(network.world.sign(author, userDataAdd(origin, type, value)))
      }
      messages.push(network.world.sign(author, linkAdd(origin, '\u0001\u009f\u0378', 2)))
      for (const message of messages) {
        const bytes = encodeEnvelope(message)
        const valid = await core.validations.validateMessage(core.Message.decode(bytes))
        assert.ok(valid.isOk(), valid.isErr() ? valid.error.message : '')
      }
      const outcomes = await submitMessages(network.world.app.hub, messages)
      assert.ok(
        outcomes.every((one) => typeof one === 'number'),
        JSON.stringify(outcomes.find((one) => typeof one !== 'number')),
      )
      await network.indexed()

      const grpc = rawClient(network.world.app.urls.grpc)
      t.after(() => grpc.close())
      for (const cast of casts) {
        const { value } = cast.data.body
        const body = value as Extract<typeof cast.data.body, { case: 'castAddBody' }>['value']
        const hash = hex(cast.hash)
        const parentUrl = body.parent.case === 'parentUrl' ? body.parent.value : null
        const urls = body.embeds.map(({ embed }) => embed.value)

        const read = accepted(await network.world.get(pathOf('/v1/castById', { fid: 1, hash })))
        assert.equal(read.data.castAddBody.text, body.text)
        assert.equal(read.data.castAddBody.parentUrl ?? null, parentUrl)
        assert.deepEqual(
          read.data.castAddBody.embeds.map(({ url }: Json) => url),
          urls,
        )

        const request = toBinary(CastIdSchema, create(CastIdSchema, { fid: 1n, hash: cast.hash }))
        const { bytes } = await grpc.call('GetCast', request)
        assert.deepEqual(Buffer.from(bytes!), Buffer.from(encodeEnvelope(cast)))

        const shown = (await app(`/cast?type=hash&identifier=${hash}`)).cast
        const expected = [body.mentions.length > 0 ? undefined : body.text, parentUrl, urls]
        const shownOf = (one: Json) => [
          body.mentions.length > 0 ? undefined : one.text,
          one.parent_url,
          one.embeds.map(({ url }: Json) => url),
        ]
        assert.deepEqual(shownOf(shown), expected)
        for (const tries = { left: 1_200 }; !received.has(hash) && tries.left > 0; tries.left--) {
          await sleep(50)
        }
        assert.deepEqual(shownOf(received.get(hash)), expected)
      }
      for (const [i, url] of URLS.entries()) {
        const [inPlace, ...replies] = casts.slice(i * 3, i * 3 + 3).map(({ hash }) => hex(hash))
        const parents = await app(
          `/feed/parent_urls?parent_urls=${encodeURIComponent(url)}&limit=100`,
        )
        assert.deepEqual(
          parents.casts.map(({ hash }: Json) => hash),
          [inPlace],
        )
        const found = await app(`/cast/search?q=word${i}&limit=100`)
        const hashes = found.result.casts.map(({ hash }: Json) => hash)
        assert.deepEqual(hashes.sort(), [inPlace, ...replies].sort())
        await app(`/cast/search?q=${encodeURIComponent(`word${i} ${url}`)}`)
        const likes = pathOf('/v1/reactionsByTarget', { url, reaction_type: 1 })
        assert.equal(accepted(await network.world.get(likes)).messages.length, 1)
      }
      const [user] = (await app('/user/bulk?fids=1')).users
      assert.deepEqual(
        [user.display_name, user.profile.bio.text, user.pfp_url, user.url ?? profile[3][1]],
        profile.map(([, value]) => value),
      )

      const copy = await createWorld({ engine })
      t.after(() => copy.close())
      await copy.accounts([1, 2, 3], { units: 20 })
      copy.clock.set(network.world.clock.now())
      const exported = await exportOf(network, 1)
      const back = await submitMessages(
        copy.app.hub,
        exported.map((bytes) => decodeMessage(bytes)),
      )
      assert.ok(
        back.every((one) => typeof one === 'number'),
        JSON.stringify(back.find((one) => typeof one !== 'number')),
      )
      const again = await hashesOf(copy.app.storage, 1)
      assert.deepEqual(again, await hashesOf(network.world.app.storage, 1))
      assert.ok(again.length >= messages.length)
    })
  })
}

/** All messages of an account, as the operator exports them. */
async function exportOf({ world }: Network, fid: number): Promise<Buffer[]> {
  const messages: Buffer[] = []
  for (let pageToken: string | undefined; pageToken !== ''; ) {
    const page = accepted(
      await world.operate(pathOf(`/moderation/accounts/${fid}/messages`, { pageToken })),
    )
    messages.push(...page.messages.map((text: string) => Buffer.from(text, 'base64')))
    pageToken = page.nextPageToken
  }
  return messages
}

async function hashesOf({ messages }: Storage, fid: number): Promise<string[]> {
  const found = await messages.scan(0, 10_000)
  return found
    .filter((one) => one.fid === fid)
    .map(({ hash }) => hex(hash))
    .sort()
}
