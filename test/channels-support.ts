// What the tests of channels share: people with tokens, and calls over HTTP.

import assert from 'node:assert/strict'
import { buildMessage, castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import type { SignedMessage } from '../src/kernel/protocol/message.ts'
import type { Answer, PlatformRequest, TestAccount, World } from './world.ts'

export type Method = NonNullable<PlatformRequest['method']>

export function channelClient(world: World) {
  const call = (account: TestAccount, method: Method, path: string, body: unknown) =>
    world.platform(path, { method, body, token: world.token(account) })
  const get = (path: string) => world.platform(path)
  const result = async (path: string) => resultOf(await get(path))
  const cast = async (account: TestAccount, text: string, parent?: string | SignedMessage) => {
    const init = castAdd(world.origin(account), {
      text,
      ...(typeof parent === 'string' && { parent: { case: 'parentUrl' as const, value: parent } }),
      ...(typeof parent === 'object' && {
        parent: {
          case: 'parentCastId' as const,
          value: { fid: BigInt(parent.fid), hash: parent.hash },
        },
      }),
    })
    const message = buildMessage(init, account.seed)
    assert.equal((await world.submit(message)).status, 200)
    return message
  }
  const operator = async (
    path: string,
    { method, body }: { method?: Method; body?: unknown } = {},
  ): Promise<Answer> => {
    const response = await fetch(`${world.app.urls.operations}/platform${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    return { status: response.status, body: await response.json(), headers: response.headers }
  }
  return {
    call,
    get,
    result,
    cast,
    operator,
    hashOf: (message: SignedMessage) => toHex(message.hash),
    create: async (account: TestAccount, channelId: string, more: object = {}) =>
      resultOf(await call(account, 'POST', '/fc/channels', { channelId, ...more })).channel,
    follow: (account: TestAccount, channelId: string) =>
      call(account, 'POST', '/fc/channel-follows', { channelId }),
    unfollow: (account: TestAccount, channelId: string) =>
      call(account, 'DELETE', '/fc/channel-follows', { channelId }),
    invite: (account: TestAccount, channelId: string, inviteFid: number, role = 'member') =>
      call(account, 'POST', '/fc/channel-invites', { channelId, inviteFid, role }),
    remove: (account: TestAccount, channelId: string, removeFid: number, role = 'member') =>
      call(account, 'DELETE', '/fc/channel-invites', { channelId, removeFid, role }),
    answer: (account: TestAccount, channelId: string, role = 'member', accept = true) =>
      call(account, 'PATCH', '/fc/channel-invites', { channelId, role, accept }),
    ban: (account: TestAccount, channelId: string, banFid: number) =>
      call(account, 'POST', '/fc/channel-bans', { channelId, banFid }),
    unban: (account: TestAccount, channelId: string, unbanFid: number) =>
      call(account, 'DELETE', '/fc/channel-bans', { channelId, unbanFid }),
    /** Every row of a paged list, read so many at a time. */
    async pages(path: string, key: string, limit: number) {
      // biome-ignore lint/suspicious/noExplicitAny: rows of several lists
      const rows: any[] = []
      let cursor = ''
      for (;;) {
        const { status, body } = await get(
          `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`,
        )
        assert.equal(status, 200, JSON.stringify(body))
        rows.push(...body.result[key])
        if (!('next' in body)) return rows
        assert.deepEqual(Object.keys(body.next), ['cursor'])
        cursor = body.next.cursor
      }
    },
  }
}

export type ChannelClient = ReturnType<typeof channelClient>

export function resultOf({ status, body }: Answer) {
  assert.equal(status, 200, JSON.stringify(body))
  return body.result
}

export function succeeded(answer: Answer): void {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.deepEqual(answer.body, { result: { success: true } })
}

/** Fails unless the answer is this refusal, in the platform's words. */
export function refused({ status, body }: Answer, expected: number, words: RegExp | string): void {
  assert.equal(status, expected, JSON.stringify(body))
  assert.equal(body.errors.length, 1)
  const { message } = body.errors[0]
  if (typeof words === 'string') assert.equal(message, words)
  else assert.match(message, words)
}
