// The export of an account has every row that tables declare as its, without what is withheld and without rows of others. On both
// engines; every table is filled by its declaration, so that a new one is looked at without being named here.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { ROWS_PAGE } from '../src/features/moderation/export-rows.ts'
import { MAX_PAGE_BYTES } from '../src/kernel/storage/reads/page.ts'
import { SCHEMA } from '../src/store.ts'
import { accepted } from './hub-support.ts'
import { EXPORTED, isGiven, type Marks, ownersOf, rowOf } from './own-rows-support.ts'
import { insertRow, insertRows, type Select, selectIn } from './stored-rows.ts'
import { createWorld, ENGINES, type World } from './world.ts'

/** Nobody has registered these: the rows that they have are those of the tests. */
const OWN_FID = 70_001
const PAGED_FID = 70_003
const MAKER_FID = 70_004

for (const engine of ENGINES) {
  describe(`the rows of an account in its export (${engine})`, { concurrency: 1 }, () => {
    let world: World
    let select: Select

    before(async () => {
      world = await createWorld({ engine })
      select = selectIn(world, engine)
      // They would take away rows of the tests that belong to nothing.
      await world.app.jobs.stop()
    })
    after(() => world.close())

    const page = (fid: number, pageToken = '') =>
      world.operate(
        `/moderation/accounts/${fid}/rows${pageToken && `?pageToken=${encodeURIComponent(pageToken)}`}`,
      )
    const pagesOf = async (fid: number) => {
      const pages = []
      for (let token = ''; ; ) {
        const { rows, nextPageToken } = accepted(await page(fid, token))
        pages.push(rows)
        token = nextPageToken
        if (token === '') return pages
      }
    }

    it("an export has every column of every row that is declared as the account's, but no secret and no row of others", async () => {
      const given: Marks = new Map()
      const ofOthers: Marks = new Map()
      for (const table of EXPORTED) {
        for (const owner of ownersOf(table)) {
          await insertRow(select, table.name, rowOf(table, { owner, fid: OWN_FID }, given))
        }
        await insertRow(select, table.name, rowOf(table, {}, ofOthers))
      }
      assert.ok(EXPORTED.length > 35, 'many tables have rows of accounts')
      const rows = (await pagesOf(OWN_FID)).flat()
      const text = JSON.stringify(rows)
      let withheld = 0
      for (const [where, mark] of given) {
        assert.equal(text.includes(mark), isGiven(where), where)
        withheld += Number(!isGiven(where))
      }
      assert.ok(withheld > 15, 'many columns are withheld')
      for (const [where, mark] of ofOthers) assert.equal(text.includes(mark), false, where)
      const told = new Set(rows.map(({ table }: { table: string }) => table))
      assert.deepEqual([...told].sort(), EXPORTED.map(({ name }) => name).sort())
    })

    it('an export has the members of the packs that the account has made, and names instead of numbers of apps', async () => {
      const pack = {
        id: 'own-pack',
        name: 'n',
        description: '',
        image_url: '',
        creator_fid: MAKER_FID,
      }
      await insertRow(select, 'starter_pack', { ...pack, created_at: 1, member_count: 1 })
      await insertRow(select, 'starter_pack_member', { pack_id: 'own-pack', fid: 3, member_at: 1 })
      const apps = SCHEMA.tables.find(({ name }) => name === 'mini_app')!
      const app = { ...rowOf(apps, {}, new Map()), id: 77, domain: 'app.example' }
      await insertRow(select, 'mini_app', app)
      await insertRow(select, 'mini_app_use', { fid: MAKER_FID, app_id: 77, opened_at: 5 })
      const rows = (await pagesOf(MAKER_FID)).flat()
      const rowsIn = (name: string) =>
        rows.flatMap(({ table, row }: { table: string; row: object }) =>
          table === name ? [row] : [],
        )
      assert.deepEqual(rowsIn('starter_pack_member'), [{ packId: 'own-pack', fid: 3, memberAt: 1 }])
      assert.deepEqual(rowsIn('mini_app_use'), [
        { fid: MAKER_FID, appId: 77, openedAt: 5, domain: 'app.example' },
      ])
    })

    it('an export of many rows comes in pages that are bounded in rows and in bytes, each row once', async () => {
      const invites = Array.from({ length: ROWS_PAGE + 20 }, (_, n) => ({
        ...{ code_hash: randomBytes(20), label: `l${n}`, inviter: PAGED_FID, uses: 1 },
        ...{ uses_left: 1, created_at: 1, expires_at: 1, is_named: 0 },
      }))
      await insertRows(select, 'invite', invites as [object])
      const long = 'x'.repeat(MAX_PAGE_BYTES / 4)
      const appeals = Array.from({ length: 10 }, (_, n) => ({
        ...{ id: n + 1, fid: PAGED_FID, decision: 1, action: 'hide', text: `t${n} ${long}` },
        ...{ state: 'open', created_at: 1 },
      }))
      await insertRows(select, 'moderation_appeal', appeals as [object])
      const pages = await pagesOf(PAGED_FID)
      for (const rows of pages) {
        assert.ok(rows.length <= ROWS_PAGE)
        assert.ok(JSON.stringify(rows).length < 2 * MAX_PAGE_BYTES)
      }
      const values = pages
        .flat()
        .map(({ row }: { row: { label?: string; text?: string } }) =>
          (row.label ?? row.text ?? '').slice(0, 6),
        )
      assert.equal(values.length, ROWS_PAGE + 30)
      assert.equal(new Set(values).size, values.length)
    })

    it('a page token of another account or another list is refused with the name of the field', async () => {
      const { nextPageToken } = accepted(await page(PAGED_FID))
      const faults = [
        await page(PAGED_FID, Buffer.from('[1, 2, 3]').toString('base64')),
        await page(PAGED_FID, 'no base64!'),
        await page(OWN_FID, nextPageToken),
      ]
      const told = faults.map(({ status, body }) => [status, body.code, body.field])
      assert.deepEqual(told, Array(3).fill([400, 'bad_request.invalid_param', 'pageToken']))
    })

    if (engine === 'sqlite') {
      it('the rows of an account are found by an index in every table', async () => {
        const database = new DatabaseSync(`${world.env.ROOKERY_DATA_DIR}/rookery.sqlite`)
        const scans: string[] = []
        for (const table of SCHEMA.tables) {
          const explain = async (text: string) => {
            const plan = database.prepare(`explain query plan ${text}`).all()
            const scanned = plan.filter(({ detail }) => /^SCAN /.test(String(detail)))
            scans.push(...scanned.map(({ detail }) => `${table.name}: ${detail}`))
            return []
          }
          await table.ownRows({ all: explain } as never, OWN_FID, undefined, ROWS_PAGE)
        }
        database.close()
        assert.deepEqual(scans, [])
      })
    }
  })
}
