export type Body = URLSearchParams | FormData | Blob | string;

type Fields = Readonly<Record<string, string>>;

export const form = (fields: Fields): URLSearchParams => new URLSearchParams(fields);

const json = (text: string): Blob => new Blob([text], { type: 'application/json' });

function parts(fields: Fields): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

const comment = 'Failed password for root';

/** Reports of one address in each form that public clients send, and the score that they lead to. */
export const FORMS: readonly (readonly [ip: string, body: Body, score: number])[] = [
  ['1.2.4.1', form({ ip: '1.2.4.1', categories: '18,22', comment }), 80],
  ['1.2.4.2', form({ ip: '1.2.4.2', categories: '14', comment }), 45],
  ['1.2.4.4', json(`{"ip":"1.2.4.4","categories":"18,22","comment":"${comment}"}`), 80],
  ['1.2.4.5', json('{"ip":"1.2.4.5","categories":[14,22],"timestamp":null}'), 80],
  ['1.2.4.6', json('{"ip":"1.2.4.6","categories":18}'), 80],
  ['1.2.4.7', json('{"ip":"1.2.4.7","categories":["14", "21"]}'), 45],
  ['1.2.4.8', parts({ ip: '1.2.4.8', categories: '18,22', comment }), 80],
];

const fields = { ip: '1.2.4.9', categories: '18' };

/** What is refused, and with which key it was sent. */
export const REFUSED: readonly (readonly [
  key: 'customer' | 'wrong' | 'scans' | 'reporter',
  body: Body,
  status: number,
  code: string,
])[] = [
  ['customer', form(fields), 403, 'forbidden'],
  ['wrong', form(fields), 401, 'invalid_key'],
  ['scans', form(fields), 403, 'forbidden'],
  ['reporter', form({ ...fields, ip: '10.0.0.1' }), 400, 'reserved_ip'],
  ['reporter', form({ ...fields, ip: 'x' }), 400, 'invalid_ip'],
  ['reporter', form({ ...fields, categories: 'ssh' }), 400, 'bad_request'],
  ['reporter', form({ ip: '1.2.4.9' }), 400, 'bad_request'],
  ['reporter', form({ ...fields, timestamp: 'yesterday' }), 400, 'bad_request'],
  ['reporter', form({ ...fields, timestamp: '2099-01-01T00:00:00Z' }), 400, 'bad_request'],
  ['reporter', json('{"ip":"1.2.4.9","categories":{"a":18}}'), 400, 'bad_request'],
  ['reporter', json(`{"ip":"1.2.4.9","categories":${'['.repeat(8000)}${']'.repeat(8000)}}`), 400, 'bad_request'],
  ['reporter', json('{"ip":"1.2.4.9","categories":'), 400, 'bad_request'],
  ['reporter', json('[]'), 400, 'bad_request'],
  ['reporter', new Blob(['ip=1.2.4.9'], { type: 'multipart/form-data; boundary=x' }), 400, 'bad_request'],
  ['reporter', 'ip=1.2.4.9&categories=18', 415, 'unsupported_media_type'],
];
