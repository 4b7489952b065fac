import { port } from '../../kernel/ports.ts'
import type { Catalogue } from './catalogue.ts'

/** Actions and who has installed them. */
export const ACTIONS = port<{ readonly catalogue: Catalogue }>('actions')
