import { port } from '../../kernel/ports.ts'
import type { Badges } from './badges.ts'

export { standingIn } from './standing.ts'

/** The newest set of power badges. */
export const BADGES = port<Badges>('badges')
