/** A version that the server does not have any more. */
class NotServed extends Mistake {}

const UNUSUAL = 0.95;  // the novelty from which on the answer may not hold
const MOST_ROWS = 4096, MOST_VALUES = 2 ** 19;  // of one request, as tffs.serving.Client has them

async function fetchJson(path, body) {
  let response, answer;
  try {
    response = await fetch(path, body === undefined ? {} : {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    answer = await response.json();
  } catch (error) {
    throw new Mistake(`The server did not answer (${error.message}): is it still running?`);
  }
  if (response.ok) return answer;
  const Kind = response.status === 404 ? NotServed : Mistake;
  throw new Kind(answer.error || `The server answered with status ${response.status}.`);
}

/** One version of the model, for one question: every request names the version that was described. */
class ModelVersion {
  constructor(path, number, description) {
    this.path = path;
    this.number = number;
    this.description = description;
    this.names = description.feature_names;
    this.ranks = description.support_sizes === null;
  }

  /** Ask a signature for one task; gives its outputs. */
  async ask(signature, inputs) {
    const tasks = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, [value]]));
    const body = { signature_name: signature, inputs: tasks };
    const { outputs } = await fetchJson(`${this.path}/versions/${this.number}:predict`, body);
    if (outputs.error && outputs.error[0]) throw new Mistake(outputs.error[0]);
    return Object.fromEntries(Object.entries(outputs).map(([name, [value]]) => [name, value]));
  }

  /** Rank all features, or give those that a concrete model selects. */
  async rank(support, limits) {
    let chosen;
    if (this.ranks) {
      const none = this.names.map(() => 0);
      chosen = await this.ask("rank", { ...this.padded(support), ...limits, costs: none, budget: -1 });
    } else if (support.length === this.description.support_size) chosen = await this.ask("select", { support });
    else chosen = await this.ask("select_masked", { support, support_size: support.length });
    const indices = chosen.indices.filter((index) => index >= 0);
    if (indices.some((index, at) => this.names[index] !== chosen.names[at]))
      throw new NotServed("The server changed to another model meanwhile.");
    return { ...chosen, indices, names: indices.map((index) => this.names[index]) };
  }

  /** Infer all features of rows [rows, M], NaN where nothing was measured; `indices` are the selected ones. */
  async reconstruct(support, values, indices) {
    const { classes, num_features: features } = this.description;
    const signature = classes ? "classify" : "reconstruct";
    const rows = this.ranks ? values : values.map((row) => indices.map((index) => row[index]));
    const widest = 3 * Math.max(features, classes ? classes.length : 0);
    const size = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_VALUES / widest)));
    const found = { values: [], low: [], high: [] };
    for (let start = 0; start < rows.length; start += size) {
      const inputs = this.ranks ? this.padded(support) : { support };
      const part = await this.ask(signature, { ...inputs, values: rows.slice(start, start + size) });
      found.values.push(...(part.reconstruction || part.probabilities));
      found.low.push(...(part.low || []));
      found.high.push(...(part.high || []));
    }
    return { ...found, columns: classes || this.names };
  }

  padded(support) {
    return { support: support.length ? support : [this.names.map(() => 0)], support_size: support.length };
  }
}

/** Let one version answer a question, which may ask it several times; start over if it goes away meanwhile. */
async function followed(path, question) {
  for (let attempt = 1; ; attempt++) {
    try {
      const { model_spec: { version } } = await fetchJson(`${path}/metadata`);
      const body = { signature_name: "describe", inputs: [0] };
      const { outputs } = await fetchJson(`${path}/versions/${version}:predict`, body);
      return await question(new ModelVersion(path, version, JSON.parse(outputs[0])));
    } catch (error) {
      if (!(error instanceof NotServed) || attempt === 5) throw error;
    }
  }
}
