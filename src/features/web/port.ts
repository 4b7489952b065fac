import { port } from '../../kernel/ports.ts'
import type { Previews } from './previews/previews.ts'

/** What links lead to. */
export const PREVIEWS = port<Previews>('previews')
