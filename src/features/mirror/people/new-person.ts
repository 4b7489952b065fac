import type { NewMirrorFid } from '../tables/mirror.ts'

/** Somebody who was never read. */
export const newPerson = (fid: number, now: number): NewMirrorFid => ({
  fid,
  state: 'waiting',
  due_at: now,
  read_at: 0,
  checked_at: 0,
  counts: '{}',
  failures: 0,
  left_at: 0,
  limits: '[]',
})
