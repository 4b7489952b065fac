// Files whose bytes others than the server have removed or changed, in the database and in a bucket: they are found, exports go
// on past them, and uploading them again mends them.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { rmSync, statSync, truncateSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { mediaRows } from '../src/features/media/tables/media.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import { exportFiles, plainPng, uploadTo } from './media-support.ts'
import { startCommands } from './program.ts'
import { TestStorage } from './s3-support.ts'
import { accountEvents, createWorld, enginesOf, testAccount, type World } from './world.ts'

type Upload = { readonly png: Uint8Array; readonly url: string; readonly smallUrl: string }
/** What loses bytes: all of an object, or its second half. */
type Loss = 'gone' | 'cut'

for (const engine of enginesOf(import.meta.url)) {
  for (const place of ['the database', 'a bucket'] as const) {
    describe(`lost files in ${place} (${engine})`, { concurrency: 1 }, () => {
      const secret = randomBytes(32)
      const owner = { ...testAccount(810), custody: addressOfPrivateKey(secret) }
      const s3 = new TestStorage()
      const commands = startCommands()
      const uploads: Upload[] = []
      let world: World

      before(async () => {
        if (place === 'a bucket') await s3.start()
        const env: Record<string, string> = {}
        if (place === 'a bucket') env.ROOKERY_MEDIA_S3_URL = s3.url()
        world = await createWorld({ engine, env })
        const seconds = Math.floor(world.clock.now() / 1000)
        await world.app.ledger!.importEvents(accountEvents(owner, seconds, 10))
        for (const side of [600, 601, 602, 603]) uploads.push(await upload(side))
        await lose(uploads[0]!.url, 'gone')
        await lose(uploads[1]!.url, 'cut')
        await lose(uploads[2]!.smallUrl, 'gone')
      })
      after(() => Promise.all([world?.close(), s3.remove(), commands.stop()]))

      async function upload(side: number): Promise<Upload> {
        const png = plainPng(side, 30, [side % 256, 9, 9, 255])
        const { status, body } = await uploadTo(world, owner, png)
        assert.equal(status, 200, JSON.stringify(body))
        return { png, url: body.result.url, smallUrl: body.result.smallUrl }
      }

      async function lose(url: string, loss: Loss): Promise<void> {
        const size = url.includes('-small') ? 'small' : 'large'
        const hash = Buffer.from(/[0-9a-f]{64}/.exec(url)![0], 'hex')
        const { storage } = world.app
        const { object } = (await storage.of(mediaRows).find(hash))!
        if (place === 'a bucket') {
          const file = s3.objects().find((name) => name.includes(`${object}-${size}`))!
          if (loss === 'gone') rmSync(file)
          else truncateSync(file, Math.floor(statSync(file).size / 2))
          return
        }
        const sizes = ['large', 'small'] as const
        const parts = await Promise.all(
          sizes.map((one) => storage.of(mediaRows).part(object, one, 0)),
        )
        await storage.write('all/media', async (tx) => {
          await tx.of(mediaRows).removeParts(object)
          for (const part of parts) {
            const half = part!.data.subarray(0, part!.data.length / 2)
            if (part!.size !== size) await tx.of(mediaRows).putPart(part!)
            else if (loss === 'cut') await tx.of(mediaRows).putPart({ ...part!, data: half })
          }
        })
      }

      const statusOf = async (url: string, range?: string) => {
        const response = await fetch(url, range === undefined ? {} : { headers: { range } })
        await response.arrayBuffer().catch(() => {})
        return response.status
      }

      it('a file that is gone is not found, and so is the end of one that is cut', async () => {
        const [gone, cut, small, whole] = uploads
        assert.equal(await statusOf(gone!.url), 404)
        assert.equal(await statusOf(gone!.smallUrl), 200)
        assert.equal(await statusOf(cut!.url, 'bytes=-10'), 404)
        assert.deepEqual([await statusOf(small!.url), await statusOf(small!.smallUrl)], [200, 404])
        assert.deepEqual([await statusOf(whole!.url), await statusOf(whole!.smallUrl)], [200, 200])
      })

      it('the operator is told which files are lost, how much of them is there, and whose they are', async () => {
        const { status, body } = await world.operate('/media/lost')
        assert.equal(status, 200, JSON.stringify(body))
        assert.deepEqual([body.files, body.looked, body.next], [4, 4, null])
        const paths = uploads.slice(0, 3).map(({ url }) => new URL(url).pathname)
        assert.deepEqual(body.lost.map(({ path }: { path: string }) => path).sort(), paths.sort())
        for (const { bytes, found, fids } of body.lost) {
          assert.ok(found > 0 && found < bytes, `${found} of ${bytes}`)
          assert.deepEqual(fids, [owner.fid])
        }
      })

      it('an export goes on past lost files and says which are missing', async () => {
        const files = await exportFiles(world, owner.fid, secret)
        assert.equal(files.length, 4)
        const missing = files.filter((file) => file.missing)
        const lost = uploads.slice(0, 2).map(({ url }) => url)
        assert.deepEqual(missing.map(({ url }) => url).sort(), lost.sort())
        for (const { url, data, missing } of files) {
          if (missing) assert.equal(data, '')
          else {
            const served = Buffer.from(await (await fetch(url)).arrayBuffer())
            assert.deepEqual(Buffer.from(data, 'base64'), served)
          }
        }
      })

      it('verify names lost files and ends with 1, and finds none once they are uploaded again', async () => {
        await world.stop()
        const found = await commands.run(world.env, 'verify')
        assert.equal(found.code, 1, found.stderr)
        const { pathname } = new URL(uploads[0]!.url)
        assert.match(
          found.stdout,
          new RegExp(`^${pathname} of fid 810 has \\d+ of its \\d+ bytes$`, 'm'),
        )
        assert.match(found.stdout, /^3 of 4 pictures and videos have lost bytes\. /m)
        await world.restart()
        for (const { png, url } of uploads) {
          const { status, body } = await uploadTo(world, owner, png)
          assert.equal(status, 200)
          assert.equal(new URL(body.result.url).pathname, new URL(url).pathname)
        }
        assert.deepEqual((await world.operate('/media/lost')).body.lost, [])
        const files = await exportFiles(world, owner.fid, secret)
        assert.ok(files.every((file) => file.missing === undefined && file.data !== ''))
        await world.stop()
        const mended = await commands.run(world.env, 'verify')
        assert.equal(mended.code, 0, mended.stdout)
      })

      if (place === 'a bucket') {
        it('verify says that it could not look at the files of a storage that does not answer', async () => {
          await s3.stop()
          const { code, stdout } = await commands.run(world.env, 'verify')
          assert.equal(code, 1)
          assert.match(stdout, /^Not all pictures and videos could be looked at: the storage/m)
        })
      }
    })
  }
}
