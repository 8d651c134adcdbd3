import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markdownHtml } from './html.ts';

test('headings, paragraphs, links, lists and code are readable, and nothing of the text is markup', () => {
  const markdown = `# A <b>title</b>

First line
second line with [a link](/en/docs/mcp.md#x) and [a script](javascript:alert(1)).

\`\`\`sh
curl 'x' <y>

# no heading
\`\`\`
| a | b |
|---|---|

- one [two](https://example.com)
`;
  assert.equal(
    markdownHtml(markdown).html,
    `<h1>A &lt;b&gt;title&lt;/b&gt;</h1>
<p>First line
second line with <a href="/en/docs/mcp.md#x">a link</a> and a script).</p>
<pre>curl &#39;x&#39; &lt;y&gt;

# no heading</pre>
<pre>| a | b |
|---|---|</pre>
<pre>- one <a href="https://example.com">two</a></pre>
`,
  );
  assert.equal(markdownHtml('').html, '');
  assert.equal(markdownHtml('```\nopen').html, '<p>```\nopen</p>\n');
});
