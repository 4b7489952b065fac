import { openWholeStore } from '../src/store.ts'
// Many follows at once, on both engines and with two programs on one PostgreSQL: the count is the rows.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type App, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { MAX_INVITE_CALLS } from '../src/features/channels/limits.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { type ChannelClient, channelClient, succeeded } from './channels-support.ts'
import { appToken, createWorld, ENGINES, type TestAccount, type World } from './world.ts'

const SETUPS = [...ENGINES, 'two programs on postgres'] as const
const CROWD = 50

for (const setup of SETUPS) {
  describe(`fifty calls at once, ${setup}`, { concurrency: 1 }, () => {
    let world: World
    let second: App | undefined
    let client: ChannelClient
    let people: TestAccount[]
    before(async () => {
      world = await createWorld({ engine: setup === 'sqlite' ? 'sqlite' : 'postgres' })
      if (setup.startsWith('two')) second = await startBeside(world)
      client = channelClient(world)
      people = await world.accounts(Array.from({ length: CROWD }, (_, i) => i + 1))
    })
    after(async () => {
      await second?.stop()
      await world.close()
    })

    /** At one of the programs. */
    const send = async (
      i: number,
      account: TestAccount,
      method: string,
      path: string,
      body: object,
    ) => {
      const { platform } = (second && i % 2 === 1 ? second : world.app).urls
      const token = appToken(account, { exp: Math.floor(world.clock.now() / 1000) + 300 })
      const response = await fetch(platform + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: response.status, body: await response.json(), headers: response.headers }
    }
    const counted = async (id: string) => {
      const { followerCount } = (await client.result(`/v1/channel?channelId=${id}`)).channel
      const rows = await client.pages(`/v1/channel-followers?channelId=${id}`, 'users', 20)
      const listed = (await client.result('/v2/all-channels')).channels.find(
        (one: { id: string }) => one.id === id,
      )
      assert.equal(followerCount, rows.length)
      assert.equal(listed.followerCount, rows.length)
      return rows.length
    }

    test('concurrent follows and unfollows of many users leave the right count', async () => {
      await client.create(people[0]!, 'race')
      const follow = (i: number, method: string) =>
        send(i, people[i]!, method, '/fc/channel-follows', { channelId: 'race' })
      const all = await Promise.all(people.map((_, i) => follow(i, 'POST')))
      all.forEach(succeeded)
      assert.equal(await counted('race'), CROWD)
      const mixed = people.flatMap((_, i) =>
        i % 2 ? [follow(i, 'DELETE'), follow(i, 'DELETE')] : [follow(i, 'POST')],
      )
      for (const answer of await Promise.all(mixed)) succeeded(answer)
      assert.equal(await counted('race'), CROWD / 2)
    })

    test('concurrent follows and unfollows of one user count once or not at all', async () => {
      await client.create(people[0]!, 'heap')
      await Promise.all(
        Array.from({ length: CROWD }, (_, i) =>
          send(i, people[1]!, i % 3 ? 'POST' : 'DELETE', '/fc/channel-follows', {
            channelId: 'heap',
          }),
        ),
      )
      assert.ok((await counted('heap')) <= 1)
      const follow = Array.from({ length: 10 }, (_, i) =>
        send(i, people[1]!, 'POST', '/fc/channel-follows', { channelId: 'heap' }),
      )
      for (const answer of await Promise.all(follow)) succeeded(answer)
      assert.equal(await counted('heap'), 1)
    })

    test('concurrent calls give a channel id one owner and the last moderator place one moderator', async () => {
      const opened = await Promise.all(
        people.map((one, i) => send(i, one, 'POST', '/fc/channels', { channelId: 'wanted' })),
      )
      const owners = opened.filter(({ status }) => status === 200)
      assert.equal(owners.length, 1)
      const owner =
        people[
          (owners[0]!.body as { result: { channel: { leadFid: number } } }).result.channel.leadFid -
            1
        ]!
      const others = people.filter(({ fid }) => fid !== owner.fid).slice(0, 15)
      for (const one of others) {
        succeeded(await client.follow(one, 'wanted'))
        succeeded(await client.invite(owner, 'wanted', one.fid))
        succeeded(await client.answer(one, 'wanted'))
      }
      const asked = await Promise.all(
        others.map(({ fid }, i) =>
          send(i, owner, 'POST', '/fc/channel-invites', {
            channelId: 'wanted',
            inviteFid: fid,
            role: 'moderator',
          }),
        ),
      )
      assert.equal(asked.filter(({ status }) => status === 200).length, 10)
      const { invites } = await client.result('/fc/channel-invites?channelId=wanted')
      assert.equal(invites.length, 10)
    })

    test('the invites that a caller may send in an hour are counted by all programs together', async () => {
      await client.create(people[7]!, 'many')
      const body = { channelId: 'many', inviteFid: 1, role: 'member' }
      const answers = await Promise.all(
        Array.from({ length: MAX_INVITE_CALLS + 5 }, (_, i) =>
          send(i, people[7]!, 'POST', '/fc/channel-invites', body),
        ),
      )
      const limited = answers.filter(({ status }) => status === 429)
      assert.equal(limited.length, 5)
    })

    if (setup === 'two programs on postgres') {
      test('a channel is written at both programs while another one is locked by a third', async () => {
        await client.create(people[2]!, 'locked')
        await client.create(people[2]!, 'free')
        const { DATABASE_URL: databaseUrl } = world.env
        const third = await openWholeStore({
          databaseUrl: databaseUrl!,
          dataDir: '',
          network: 'devnet',
        })
        const begun = Promise.withResolvers<void>()
        const ended = Promise.withResolvers<void>()
        const held = third.write('channel/locked', async () => {
          begun.resolve()
          await ended.promise
        })
        await begun.promise
        const follow = (i: number, channelId: string) =>
          send(i, people[i]!, 'POST', '/fc/channel-follows', { channelId })
        let isAnswered = false
        const waiting = Promise.all([3, 4].map((i) => follow(i, 'locked'))).finally(() => {
          isAnswered = true
        })
        for (const i of [3, 4, 5, 6]) succeeded(await follow(i, 'free'))
        assert.ok(!isAnswered)
        assert.equal(await counted('free'), 4)
        ended.resolve()
        await held
        for (const answer of await waiting) succeeded(answer)
        assert.equal(await counted('locked'), 2)
        await third.close()
      })
    }
  })
}

/** Another program on the same database. */
function startBeside(world: World): Promise<App> {
  return startApp({
    config: readConfig(world.env, 'development'),
    clock: world.clock,
    logger: createLogger({ level: 'fatal' }),
  })
}
