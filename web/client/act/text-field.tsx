import { Field } from './field.tsx'

type TextProps = {
  label: string
  help: string
  value: string
  maxLength: number
  isBad?: boolean
  type?: 'text' | 'password' | 'email'
  autoComplete?: string
  onChange: (value: string) => void
}

/** A field of one line of text. */
export function Text({
  label,
  help,
  isBad = false,
  onChange,
  autoComplete = 'off',
  ...input
}: TextProps) {
  return (
    <Field label={label} help={help} isBad={isBad}>
      {(id, helpId) => (
        <input
          id={id}
          {...input}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          aria-describedby={helpId}
          aria-invalid={isBad}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
