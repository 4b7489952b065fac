// The commands of a developer: changing a development network, a second one, and SQL on the views.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { portsBeside } from '../src/cli/ports.ts'
import { readConfig } from '../src/config.ts'
import { type Network, startNetwork } from '../src/testing/index.ts'
import {
  createPlace,
  type Env,
  type Finished,
  type Program,
  startCommands,
  startProgram,
} from './program.ts'
import { enginesOf } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`the commands of a developer on ${engine}`, { concurrency: 1 }, () => {
    const commands = startCommands()
    let place: Awaited<ReturnType<typeof createPlace>>
    let program: Program
    let env: Env
    before(async () => {
      place = await createPlace(engine)
      program = await startProgram('start', place.env)
      env = { ...place.env, ...program.client }
    })
    after(async () => {
      commands.stop()
      await program.stop()
      await place.remove()
    })

    const run = (...args: string[]): Promise<Finished> => commands.run(env, ...args)
    const said = async (words: string): Promise<string> => {
      const { code, stdout, stderr } = await run(...words.split(' '))
      assert.equal(code, 0, stderr)
      return stdout
    }

    it('the network is kept, seeded, moved in time, put back and reset by commands', async () => {
      assert.equal((await said('dev accounts')).trim().split('\n').length, 10)
      assert.match(await said('dev snapshot before-launch'), /rookery dev revert before-launch/)
      assert.match(await said('dev seed small'), /^Added 5 people and \d+ messages\.\n$/)
      assert.match(await said('dev seed adversarial'), /^Added 8 people/)
      assert.match(await said('dev clock +28d'), /, 2419200 seconds ahead of this machine\n$/)
      assert.equal((await said('dev accounts --add 3')).trim().split('\n').length, 26)
      await said('dev revert before-launch')
      assert.equal(await said('dev faults /hub/* status=429'), '/hub/* status=429\n')
      assert.equal(await said('dev faults --off'), 'Nothing is broken on purpose.\n')
      assert.match(await said('dev clock'), /^\d{4}-\S+Z\n$/)
      assert.equal((await said('dev accounts')).trim().split('\n').length, 10)
      assert.equal(await said('dev snapshot'), 'before-launch\n')
      await said('dev snapshot before-launch --delete')
      assert.equal(await said('dev snapshot'), '')
      await said('dev accounts --add 1')
      assert.match(await said('dev reset'), /begins again with 10 accounts/)
      const [first] = (await said('dev accounts --json')).split('\n')
      assert.equal(JSON.parse(first!).name, 'rook')
    })

    it('a duration, a snapshot and a server that are wrong are told with what is right', async () => {
      for (const [args, message] of [
        [['dev', 'clock', '28'], /number with s, m, h, d or w, such as \+?28d/],
        [['dev', 'revert', 'nothing'], /there is no snapshot nothing: there are none/],
        [['dev', 'reset', '--operations', program.hub], /is no development network/],
      ] as const) {
        const { code, stderr } = await run(...args)
        assert.notEqual(code, 0)
        assert.match(stderr, message)
      }
    })

    it('sql answers from the views, for people and as JSON', async () => {
      const table = await run('sql', 'select fid, username from sql_users order by fid limit 2')
      assert.equal(table.stdout, 'fid  username\n1    rook\n2    raven\n', table.stderr)
      const rows = await run(
        'sql',
        '--json',
        'select count(*) as casts from sql_casts where fid = 1',
      )
      assert.ok(Number(JSON.parse(rows.stdout).casts) > 1)
    })

    it('sql reads nothing but the views, and writes nothing', async () => {
      for (const statement of [
        'select * from account',
        'select * from cursor',
        'with sql_casts as (select * from cursor) select * from sql_casts',
        'select * from (select value from cursor) sql_users',
        'delete from message',
        'select 1; delete from message',
        'pragma user_version',
        'nonsense',
      ]) {
        const { code, stdout, stderr } = await run('sql', statement)
        assert.deepEqual([statement, code, stdout], [statement, 1, ''])
        assert.notEqual(stderr, '')
      }
      const { stderr } = await run('sql', 'select * from cursor')
      assert.match(stderr, /cursor is no SQL view: ask sql_casts, .*docs\/export\.md/)
      assert.match(
        (await run('sql', 'select * from casts')).stderr,
        /casts is no SQL view: ask sql_casts/,
      )
      assert.equal((await run('sql', 'select fid from sql_casts limit 1')).code, 0)
    })
  })
}

describe('a second network on one machine', () => {
  it('one port moves all of them, and a shell finds them by one command', async () => {
    const moved = portsBeside(3_290)
    const config = readConfig(moved, 'development')
    assert.deepEqual(
      [config.webPort, config.hubPort, config.grpcPort, config.opsPort],
      [3_290, 3_281, 3_283, 3_280],
    )
    const commands = startCommands()
    const { stdout } = await commands.run({}, ...'dev env --port 3290'.split(' '))
    commands.stop()
    assert.match(stdout, /^export ROOKERY_HUB_URL='http:\/\/127\.0\.0\.1:3281'$/m)
    assert.match(stdout, /^export ROOKERY_OPS_URL='http:\/\/127\.0\.0\.1:3280'$/m)
  })

  it('a name gives a network data of its own beside the others', async () => {
    const place = await createPlace('sqlite')
    const program = await startProgram('start', place.env, ['--name', 'second'])
    await program.stop()
    assert.ok(existsSync(`${place.env.ROOKERY_DATA_DIR}-second/rookery.sqlite`))
    assert.ok(!existsSync(place.env.ROOKERY_DATA_DIR!))
    await place.remove()
  })
})

describe('networks of tests', () => {
  const networks: Network[] = []
  after(() => Promise.all(networks.map((one) => one.stop())))

  it('another network begins as a snapshot was, and both go their own ways', async () => {
    const first = await startNetwork()
    networks.push(first)
    await first.seed('small')
    await first.advance(86_400)
    const base = await first.snapshot()
    const { fid } = await first.createAccount()
    await first.revert(base)
    const second = await startNetwork({ from: base.directory! })
    networks.push(second)
    const fids = async ({ urls }: Network) =>
      ((await (await fetch(`${urls.hub}/v1/fids`)).json()) as { fids: number[] }).fids.length
    assert.deepEqual([await fids(first), await fids(second)], [15, 15])
    assert.ok(Math.abs((await first.now()) - (await second.now())) < 3_600)
    assert.equal((await second.createAccount()).fid, fid)
    assert.deepEqual([await fids(first), await fids(second)], [15, 16])
    // It has what it began with under its name, which its own snapshots leave alone.
    await second.snapshot()
    await second.revert(base)
    assert.deepEqual([await fids(first), await fids(second)], [15, 15])
  })
})
