import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GIB, MIB } from '../../../kernel/protocol/sizes.ts'
import { quotaFinding } from './doctor.ts'

const of = (usedBytes: number, quotaBytes?: number) => {
  const share = quotaBytes === undefined ? 0 : usedBytes / quotaBytes
  return quotaFinding({
    disk: { usedBytes, share, ...(quotaBytes !== undefined && { quotaBytes }) },
  })
}

test('doctor says from 80 % of the disk quota on that it is wrong, and what mends it', () => {
  const [below, from] = [of(7.99 * GIB, 10 * GIB), of(8 * GIB, 10 * GIB)]
  assert.deepEqual([below.isFine, below.found], [true, '7.99 GiB are used, 79 % of 10.00 GiB'])
  assert.deepEqual([from.isFine, from.found], [false, '8.00 GiB are used, 80 % of 10.00 GiB'])
  assert.match(from.mend, /raise ROOKERY_DISK_QUOTA_GIB/)
  assert.equal(of(11 * GIB, 10 * GIB).found, '11.00 GiB are used, 110 % of 10.00 GiB')
})

test('doctor says how much is used where no quota bounds it', () => {
  const { isFine, found } = of(1.5 * MIB)
  assert.equal(isFine, true)
  assert.equal(found, '1.5 MiB are used, and no ROOKERY_DISK_QUOTA_GIB bounds them')
})
