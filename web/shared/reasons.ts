import { partsOfReason } from '../../src/features/moderation-records/reasons.ts'
import { REASONS } from './generated/reasons.ts'
import { t } from './messages.ts'
import { cleanText } from './text.ts'

/** A recorded reason in the language of the page; what a moderator wrote stays as it is. */
export function reasonText(recorded: string): string {
  const { rule, words } = partsOfReason(recorded)
  const reason = Object.hasOwn(REASONS, words) ? REASONS[words]! : cleanText(words)
  return rule === undefined
    ? reason
    : t('Rule “{rule}”: {reason}', { rule: cleanText(rule), reason })
}
