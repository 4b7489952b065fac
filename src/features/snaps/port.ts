import { port } from '../../kernel/ports.ts'
import type { Snaps } from './snaps.ts'

export {
  ACCEPT,
  isSnapType,
  MAX_SNAP_BYTES,
  readAnswer,
  type SignedMethod,
  snapLink,
} from './asking.ts'
export type { SnapElement } from './elements.ts'
export type { ReadPage } from './page.ts'
export { PRESS_ERRORS, PreviewedSnap } from './schemas.ts'
export type { OwnPage, OwnSnaps, Press, SayLater, Snaps } from './snaps.ts'
export type { SnapPage } from './types.ts'
export { SNAP_TYPE } from './words.ts'

/** Snaps of this server. */
export const SNAPS = port<Snaps>('snaps')
