import { port } from '../../kernel/ports.ts'

/** What users do to accounts that they do not want to meet. */
export type Blocks = {
  block(blocker: number, blocked: number): Promise<void>
  unblock(blocker: number, blocked: number): Promise<void>
}

export const BLOCKS_OF_USERS = port<Blocks>('blocks')
