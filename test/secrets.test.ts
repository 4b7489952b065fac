import { appSignerRows } from '../src/features/signers/tables/app-signers.ts'
import { appWebhookRows } from '../src/features/webhooks/tables/app-webhooks.ts'
// The keys that open what a store keeps for apps: when they are lost, and in backups of the embedded store.

import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, test } from 'node:test'
import type { NeynarAPIClient } from '@neynar/nodejs-sdk'
import { KEY_FILE_NAMES, KEY_FILES, LostKeyError } from '../src/kernel/base/server-key.ts'
import { refusal, sdk, type Writer, writersOf } from './app-writes-support.ts'
import { createPlace, type Env, ROOT, startCommands } from './program.ts'
import { until } from './until.ts'
import { type Receiver, startReceiver } from './webhook-support.ts'
import { createWorld, enginesOf, type World } from './world.ts'

const UNREADABLE_WEBHOOK = '409 unreadable_secret webhook_id'

const commands = startCommands()
after(() => commands.stop())

test('the guide for operators lists every key file with the setting that replaces it', () => {
  const guide = readFileSync(join(ROOT, 'docs', 'operating.md'), 'utf8')
  for (const { file, variable } of Object.values(KEY_FILES)) {
    assert.ok(guide.includes(`| \`${file}\` | \`${variable}\` |`), file)
  }
})

for (const engine of enginesOf(import.meta.url)) {
  describe(`secrets of apps (${engine})`, () => {
    const dir = mkdtempSync(join(tmpdir(), 'rookery-secrets-'))
    const backup = join(dir, 'backup')
    let world: World
    let client: NeynarAPIClient
    let writer: Writer
    let receiver: Receiver
    let webhookId: string

    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' } })
      client = sdk(world)
      const writers = writersOf(world)
      writer = await writers.writer(client, await writers.registry.person(900), 901)
      receiver = await startReceiver()
      const { webhook } = await client.publishWebhook({
        name: 'kept',
        url: receiver.url,
        subscription: { 'cast.created': {} },
      })
      webhookId = webhook!.webhook_id
      if (engine === 'postgres') return
      const made = await commands.run(world.env, 'backup', backup)
      assert.equal(made.code, 0, made.stderr)
      assert.doesNotMatch(made.stdout, /cannot be opened/)
    })
    after(async () => {
      receiver.close()
      await world.close()
      rmSync(dir, { recursive: true, force: true })
    })

    /** Settings of an empty store. */
    const place = async (t: { after(work: () => unknown): void }): Promise<Env> => {
      const { env, remove } = await createPlace('sqlite')
      t.after(remove)
      const { ROOKERY_SIGNER_SECRET: _, ...rest } = env
      return { ...rest, ROOKERY_VIEWS: 'on' }
    }
    /** Settings of the same rows without their key. */
    const withoutKey = async (t: { after(work: () => unknown): void }): Promise<Env> => {
      const env = await place(t)
      if (engine === 'postgres') return { ...env, DATABASE_URL: world.env.DATABASE_URL! }
      assert.equal((await commands.run(env, 'restore', backup)).code, 0)
      unlinkSync(join(env.ROOKERY_DATA_DIR!, 'signer.key'))
      return env
    }
    const without = (name: string): string => {
      const copy = mkdtempSync(join(dir, 'without-'))
      cpSync(backup, copy, { recursive: true })
      unlinkSync(join(copy, name))
      const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'))
      manifest.files = manifest.files.filter((file: { name: string }) => file.name !== name)
      writeFileSync(join(copy, 'manifest.json'), JSON.stringify(manifest))
      return copy
    }
    const ofBackups = { skip: engine === 'postgres' && 'PostgreSQL has backups of its own' }
    const start = (env: Env) => createWorld({ env, startMs: world.clock.now() })
    const publish = (api: NeynarAPIClient, text: string) =>
      api.publishCast({ signerUuid: writer.signerUuid, text })

    it(
      'a restored server posts with the managed signer and delivers to the webhook',
      ofBackups,
      async (t) => {
        const found = KEY_FILE_NAMES.filter((name) =>
          existsSync(join(world.env.ROOKERY_DATA_DIR!, name)),
        )
        assert.ok(found.includes('signer.key'))
        for (const name of found) assert.ok(existsSync(join(backup, name)), name)
        const env = await place(t)
        const restored = await commands.run(env, 'restore', backup)
        assert.equal(restored.code, 0, restored.stderr)
        const other = await start(env)
        t.after(() => other.close())
        const api = sdk(other)
        assert.equal((await api.lookupWebhook({ webhookId })).webhook!.active, true)
        const { cast } = await publish(api, 'after the restore')
        await until(
          () => receiver.events().some(({ data }) => data.hash === cast.hash),
          'a delivery after the restore',
        )
      },
    )

    it(
      'a restore without the key refuses, and names the key and what to do',
      ofBackups,
      async (t) => {
        const lacking = without('signer.key')
        const env = await place(t)
        const refused = await commands.run(env, 'restore', lacking)
        assert.equal(refused.code, 1)
        assert.match(
          refused.stderr,
          /2 of 2 secrets of signers, webhooks, the mail server and the translator cannot/,
        )
        assert.match(refused.stderr, /signer\.key.*ROOKERY_SIGNER_SECRET.*--forget-secrets/)
        // Nothing was put in place, so that the same command works once the key is there.
        const text = readFileSync(join(backup, 'signer.key'), 'utf8').trim()
        const given = { ...env, ROOKERY_SIGNER_SECRET: text }
        const accepted = await commands.run(given, 'restore', lacking)
        assert.equal(accepted.code, 0, accepted.stderr)
        const verified = await commands.run(given, 'verify')
        assert.equal(verified.code, 0, verified.stdout)
        const wrong = { ...env, ROOKERY_SIGNER_SECRET: `0x${'77'.repeat(32)}` }
        const found = await commands.run(wrong, 'verify')
        assert.equal(found.code, 1)
        assert.match(
          found.stdout,
          /ROOKERY_SIGNER_SECRET is not the key that they were sealed with/,
        )
      },
    )

    it('a restore gives up the secrets of a lost key when it is told to', ofBackups, async (t) => {
      const env = await place(t)
      const restored = await commands.run(env, 'restore', '--forget-secrets', without('signer.key'))
      assert.equal(restored.code, 0, restored.stderr)
      assert.match(restored.stdout, /2 secrets that could not be opened were given up/)
      assert.equal((await commands.run(env, 'verify')).code, 0)
    })

    it('one secret that cannot be opened is answered with 409 and breaks no list', async () => {
      const { storage } = world.app
      const { webhook } = await client.publishWebhook({ name: 'broken', url: receiver.url })
      const broken = webhook!.webhook_id
      const row = (await storage.of(appWebhookRows).byId(broken))!
      await storage.write(`app/${row.app}`, (tx) =>
        tx.of(appWebhookRows).put({ ...row, secret: new Uint8Array(row.secret.length) }),
      )
      const { webhooks } = await client.fetchWebhooks()
      const secretsOf = (id: string) => webhooks.find((one) => one.webhook_id === id)!.secrets
      assert.equal(secretsOf(broken).length, 0)
      assert.equal(secretsOf(webhookId).length, 1)
      assert.equal(await refusal(client.lookupWebhook({ webhookId: broken })), UNREADABLE_WEBHOOK)
      const switchOn = client.updateWebhookActiveStatus({ webhookId: broken, active: 'true' })
      assert.equal(await refusal(switchOn), UNREADABLE_WEBHOOK)
      assert.equal((await client.deleteWebhook({ webhookId: broken })).success, true)

      const { signer_uuid } = await client.createSigner()
      const signer = (await storage.of(appSignerRows).byUuid(signer_uuid))!
      const secret = new Uint8Array(signer.secret!.length)
      await storage.write('hub', (tx) =>
        tx.of(appSignerRows).put([{ ...signer, status: 'approved', fid: 901, secret }]),
      )
      assert.equal(
        await refusal(client.publishCast({ signerUuid: signer_uuid, text: 'unsigned' })),
        '409 unreadable_secret signer_uuid',
      )
      await storage.write('hub', (tx) =>
        tx.of(appSignerRows).put([{ ...signer, status: 'revoked', secret: null }]),
      )
    })

    it('a webhook whose secret cannot be opened is switched off, and others are delivered', async () => {
      const { storage } = world.app
      const { webhook } = await client.publishWebhook({
        name: 'unsigned',
        url: receiver.url,
        subscription: { 'cast.created': {} },
      })
      const id = webhook!.webhook_id
      const row = (await storage.of(appWebhookRows).byId(id))!
      await storage.write(`app/${row.app}`, (tx) =>
        tx.of(appWebhookRows).put({ ...row, secret: new Uint8Array(row.secret.length) }),
      )
      const { cast } = await publish(client, 'to those who can be told')
      await until(
        async () => (await storage.of(appWebhookRows).byId(id))!.active === 0,
        'it is off',
      )
      assert.match((await storage.of(appWebhookRows).byId(id))!.fault!, /cannot be opened/)
      await until(
        () => receiver.events().some(({ data }) => data.hash === cast.hash),
        'a delivery to the other webhook',
      )
      await client.deleteWebhook({ webhookId: id })
    })

    it('a start without the key is refused and makes no new one, until the secrets are given up', async (t) => {
      const env = await withoutKey(t)
      const file = join(env.ROOKERY_DATA_DIR!, 'signer.key')
      await assert.rejects(start(env), (error: Error) => {
        assert.ok(error instanceof LostKeyError)
        assert.match(error.message, /signer\.key, is missing.*ROOKERY_SIGNER_SECRET/)
        return true
      })
      assert.equal(existsSync(file), false)
      const forgotten = await commands.run(env, 'verify', '--forget-secrets')
      assert.equal(forgotten.code, 0, forgotten.stderr)
      assert.match(forgotten.stdout, /2 secrets that could not be opened were given up/)
      const other = await start(env)
      t.after(() => other.close())
      const api = sdk(other)
      assert.match(await refusal(publish(api, 'with a revoked signer')), /^403 Forbidden/)
      assert.equal(await refusal(api.lookupWebhook({ webhookId })), UNREADABLE_WEBHOOK)
      assert.equal((await api.deleteWebhook({ webhookId })).success, true)
      const { webhook } = await api.publishWebhook({ name: 'new', url: receiver.url })
      assert.match(webhook!.secrets[0]!.value, /^[0-9a-f]{64}$/)
      assert.equal(existsSync(file), true)
    })
  })
}
