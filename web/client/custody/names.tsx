import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import { MAX_NAME_LENGTH, useNameCheck } from '../act/name-check.ts'
import { Text } from '../act/text-field.tsx'
import { byteLength } from '../act/writes.ts'
import './names.css'

// What a newcomer is called, and the name that others find them by, which is proposed from it.

/** The limit of the protocol. */
const MAX_DISPLAY_BYTES = 32
/** Proposals are asked for when nothing was typed for so long. */
const PAUSE_MS = 300

export const isGoodDisplay = (text: string) => byteLength(text.trim()) <= MAX_DISPLAY_BYTES

type Props = {
  readonly display: string
  readonly name: string
  /** Whether somebody has tried to go on without a name. */
  readonly isMissing?: boolean
  readonly onDisplay: (display: string) => void
  readonly onName: (name: string) => void
}

export function NameFields({ display, name, isMissing = false, onDisplay, onName }: Props) {
  /** A name that was typed, chosen or came with the link is not replaced, nor is one that was cleared. */
  const [isOwn, setOwn] = useState(name !== '')
  const check = useNameCheck(name)
  const proposals = useProposals(isOwn ? '' : display)
  const others = useProposals(check.isHeld ? name : '')
  const proposed = isOwn ? undefined : display.trim() === '' ? '' : firstOf(proposals)
  useEffect(() => {
    if (proposed !== undefined && proposed !== name) onName(proposed)
  }, [proposed, name, onName])
  const isUnknown = !isOwn && proposals?.length === 0
  const isGood = isGoodDisplay(display)
  return (
    <>
      <Text
        label={t('Display name')}
        help={
          isGood
            ? t('What people call you, such as Zoë. You can change it at any time.')
            : t('Too long by {byteLength}.', {
                byteLength: byteLength(display.trim()) - MAX_DISPLAY_BYTES,
              })
        }
        isBad={!isGood}
        value={display}
        maxLength={64}
        autoComplete="nickname"
        onChange={onDisplay}
      />
      <Text
        label={t('Your name')}
        help={name === '' ? (isMissing ? MISSING : isUnknown ? CHOOSE : HELP) : check.text}
        isBad={!check.isGood || (isMissing && name === '')}
        value={name}
        maxLength={MAX_NAME_LENGTH}
        autoComplete="username"
        onChange={(value) => {
          setOwn(true)
          onName(value.toLowerCase())
        }}
      />
      {others !== undefined && others.length > 0 && (
        <p className="proposals">
          {t('Free:')}
          {others.map((other) => (
            <button
              key={other}
              type="button"
              onClick={() => {
                setOwn(true)
                onName(other)
              }}
            >
              {other}
            </button>
          ))}
        </p>
      )}
    </>
  )
}

const HELP = t(
  'Others find you by it: 1 to 16 of a–z, 0–9 and -. A typing error can be changed today.',
)
const MISSING = t('Choose a name by which others find you: 1 to 16 of a–z, 0–9 and -.')
const CHOOSE = t(
  'Choose one in the letters a–z, so that everybody can type it: 1 to 16 of a–z, 0–9 and -.',
)

/** Undefined while it is not known. */
const firstOf = (proposals: readonly string[] | undefined) => proposals && (proposals[0] ?? '')

/** Free names for a text; nothing is asked for an empty one. */
function useProposals(text: string): readonly string[] | undefined {
  const settled = useSettled(text.trim())
  const { data } = useQuery({
    queryKey: ['proposals', settled],
    queryFn: () =>
      fetchJson<{ names: string[] }>('/registry/proposals', { query: { for: settled } }),
    enabled: settled !== '',
    retry: false,
  })
  return text.trim() === settled ? data?.names : undefined
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
