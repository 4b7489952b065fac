import type { Add } from '../call-command.ts'
import { userCall } from './platform.ts'

const block = userCall('block', 'POST /fc/blocked-users', {
  example: '7 --fid 1',
  args: ['blockFid'],
  take: (_, { blockFid }, fid) => ({ fid, blockFid }),
  line: ({ fid, blockFid }) => `fid ${fid} blocks fid ${blockFid}`,
})

const unblock = userCall('unblock', 'DELETE /fc/blocked-users', {
  example: '7 --fid 1',
  args: ['unblockFid'],
  take: (_, { unblockFid }, fid) => ({ fid, unblockFid }),
  line: ({ fid, unblockFid }) => `fid ${fid} does not block fid ${unblockFid}`,
})

export const addBlockCommands: Add = (program, config) => {
  block(program, config)
  unblock(program, config)
}
