import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { Refused } from './client.ts'
import { Failure } from './failure.ts'
import { failureAt, type LineBatch, readBatches, writeLines } from './line-batches.ts'

const dir = mkdtempSync(join(tmpdir(), 'rookery-batches-'))
after(() => rmSync(dir, { recursive: true }))

const BIRDS = { kinds: ['rook', 'raven'] }
const FISH = { kinds: ['cod'] }

function fileOf(...lines: string[]): string {
  const file = join(dir, 'lines.jsonl')
  writeFileSync(file, lines.join('\n'))
  return file
}

async function batchesOf(file: string, from = 1): Promise<{ batches: LineBatch[]; end?: Error }> {
  const batches: LineBatch[] = []
  try {
    for await (const batch of readBatches(file, [BIRDS, FISH], from)) batches.push(batch)
  } catch (error) {
    return { batches, end: error as Error }
  }
  return { batches }
}
const numbersOf = ({ batches }: { batches: LineBatch[] }) => batches.map(({ numbers }) => numbers)

describe('batches of lines', () => {
  it('a file is split where the next line is of another part', async () => {
    const file = fileOf('{"rook":1}', '{"raven":2}', '', '{"cod":3}', '  ', '{"rook":4}', '')
    const { batches } = await batchesOf(file)
    assert.deepEqual(
      batches.map(({ part, lines, numbers }) => [part, lines, numbers]),
      [
        [BIRDS, [{ rook: 1 }, { raven: 2 }], [1, 2]],
        [FISH, [{ cod: 3 }], [4]],
        [BIRDS, [{ rook: 4 }], [6]],
      ],
    )
    assert.deepEqual(numbersOf(await batchesOf(file, 2)), [[2], [4], [6]])
    assert.deepEqual(numbersOf(await batchesOf(file, 7)), [])
  })

  it('a batch ends at 500 lines and before the request body becomes too large', async () => {
    const many = Array.from({ length: 1_001 }, (_, i) => `{"cod":${i}}`)
    const { batches } = await batchesOf(fileOf(...many))
    assert.deepEqual(
      batches.map(({ lines }) => lines.length),
      [500, 500, 1],
    )
    const large = Array.from({ length: 5 }, () => JSON.stringify({ cod: 'x'.repeat(200_000) }))
    const cut = await batchesOf(fileOf(...large))
    assert.deepEqual(
      cut.batches.map(({ lines }) => lines.length),
      [2, 2, 1],
    )
    assert.equal(cut.batches.at(-1)?.bytes, large.join('\n').length + 1)
  })

  it('an invalid line ends the reading after the batch of the lines before it', async () => {
    const cases = [
      ['{"cod"', 'is not a JSON object'],
      ['[]', 'is not a JSON object'],
      ['null', 'is not a JSON object'],
      ['{"toString":1}', 'has none of rook, raven, cod'],
    ] as const
    for (const [bad, fault] of cases) {
      const file = fileOf('{"cod":1}', '', bad, '{"cod":2}')
      const { batches, end } = await batchesOf(file)
      assert.deepEqual(numbersOf({ batches }), [[1]])
      assert(end instanceof Failure)
      assert.equal(end.message, `${file} line 3 ${fault}`)
    }
  })

  it('a refusal names the line of the file and where to continue', () => {
    const batch = { part: FISH, lines: [{}, {}, {}], numbers: [4, 6, 7], bytes: 0 }
    const messageOf = (error: Error) => (failureAt('f', batch, error) as Error).message
    const rest = 'all lines before 4 are imported; continue with --from 4'
    assert.equal(messageOf(new Refused('no', { field: 'lines.1.cod' })), `f line 6: no; ${rest}`)
    assert.equal(messageOf(new Refused('no')), `f lines 4 to 7: no; ${rest}`)
    assert.equal(messageOf(new Failure('away')), `f lines 4 to 7: away; ${rest}`)
    const fault = new TypeError('ours')
    assert.equal(failureAt('f', batch, fault), fault)
  })

  it('an exported file appears only when it is complete', async () => {
    const file = join(dir, 'out.jsonl')
    async function* lines(count: number, fault?: Error) {
      for (let i = 0; i < count; i++) yield { cod: i }
      if (fault) throw fault
    }
    await assert.rejects(
      writeLines(file, lines(5, new Failure('away')), () => {}),
      /away/,
    )
    assert(!existsSync(file))
    const seen: number[] = []
    assert.equal(await writeLines(file, lines(20_000), (count) => seen.push(count)), 20_000)
    assert.equal(seen.at(-1), 20_000)
    assert.equal(readFileSync(file, 'utf8').split('\n').length, 20_001)
    await assert.rejects(
      writeLines(file, lines(1, new Failure('away')), () => {}),
      /away/,
    )
    assert.equal(readFileSync(file, 'utf8').length > 100_000, true)
    assert.deepEqual(
      readdirSync(dir).filter((name) => name.endsWith('.part')),
      [],
    )
    await assert.rejects(
      writeLines(join(dir, 'no', 'where'), lines(1), () => {}),
      /ENOENT/,
    )
  })
})
