import { NativeSelect } from '@mantine/core';
import { CALLING_CODES } from '../../../../../src/core/phone/phone-list.ts';
import { countryName } from '../../../format.ts';
import { useLocale } from '../../../locale.tsx';
import { useConsole } from '../../../messages/use-console.ts';

interface Props {
  /** ISO 3166-1; undefined: as the API reads numbers. */
  readonly value: string | undefined;
  readonly onChange: (region: string | undefined) => void;
}

/** The country of numbers that do not name one themselves. */
export function RegionSelect({ value, onChange }: Props) {
  const c = useConsole();
  const { tag } = useLocale();
  const regions = [...CALLING_CODES]
    .map(([iso2, code]) => ({ value: iso2, label: `${countryName(tag, iso2)} +${code}` }))
    .sort((a, b) => a.label.localeCompare(b.label, tag));
  return (
    <NativeSelect
      label={c.phone.region}
      data={[{ value: '', label: c.phone.asWritten }, ...regions]}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
    />
  );
}
