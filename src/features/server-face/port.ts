import { port } from '../../kernel/ports.ts'
import type { Faces } from './face.ts'

export type { Faces } from './face.ts'
export { withFace } from './face-page.ts'
export { type Face, rulesVersionOf } from './settings.ts'
export { sayIn, sayToAnybody, sayToClient } from './speech.ts'
export { readingOf } from './translations.ts'

/** What the server says about itself. */
export const SERVER_FACE = port<Faces>('server face')
