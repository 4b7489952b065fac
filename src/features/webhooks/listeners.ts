import type { Reader } from '../../kernel/storage/storage.ts'
import type { Listeners } from '../../kernel/views/matcher.ts'
import { appWebhookRows } from './tables/app-webhooks.ts'

/** The webhooks that listen to events. */
export const listenersIn = ({ of }: Pick<Reader, 'of'>): Listeners => of(appWebhookRows)
