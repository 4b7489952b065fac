import { port } from '../../kernel/ports.ts'
import type { Media } from './media.ts'

export { hashAt } from './addresses.ts'
export type { Media } from './media.ts'
export { mediaRows } from './tables/media.ts'

/** Pictures and videos that this server keeps. */
export const MEDIA_OF_USERS = port<Media>('media')
