// SPDX-License-Identifier: Apache-2.0

//! regorus as bench/rego/run drives it: orders and answers as
//! bench/rego/worker.c has them.  Engines are prepared, inputs parsed
//! beforehand.  `regorus-worker eval POLICY INPUT QUERY` is the command line
//! of the cold start row.
use regorus::{Engine, Value};
use serde_json::{json, Value as Json};
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

struct Unit {
    policy: String,
    text: String,
    rule: String,
    engine: Engine,
    texts: Vec<String>,
    inputs: Vec<Value>,
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).expect(path)
}

fn parse(text: &str) -> Value {
    Value::from_json_str(text).expect("JSON")
}

fn new_engine(policy: &str, text: &str, data: Option<Value>) -> Engine {
    let mut engine = Engine::new();
    engine.add_policy(policy.into(), text.into()).expect("policy");
    if let Some(data) = data {
        engine.add_data(data).expect("data");
    }
    engine
}

fn load_unit(order: &Json) -> Unit {
    let policy = order["policy"].as_str().unwrap().to_string();
    let text = read(&policy);
    let data = order["data"].as_str().map(|path| parse(&read(path)));
    let rule = format!("data.{}", order["entry"].as_str().unwrap());
    let mut engine = new_engine(&policy, &text, data);
    let texts: Vec<String> = order["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| read(path.as_str().unwrap()))
        .collect();
    let inputs: Vec<Value> = texts.iter().map(|text| parse(text)).collect();
    // the first evaluation prepares the engine
    engine.set_input(inputs[0].clone());
    let _ = engine.eval_rule(rule.clone()).expect("evaluation");
    Unit { policy, text, rule, engine, texts, inputs }
}

fn evaluate(unit: &mut Unit, input: Value) -> Value {
    unit.engine.set_input(input);
    unit.engine.eval_rule(unit.rule.clone()).expect("evaluation")
}

fn pass(units: &mut [Unit], as_text: bool) -> usize {
    let mut count = 0;
    for unit in units {
        for i in 0..unit.inputs.len() {
            let input = if as_text {
                parse(&unit.texts[i])
            } else {
                unit.inputs[i].clone()
            };
            std::hint::black_box(evaluate(unit, input));
            count += 1;
        }
    }
    count
}

fn answer(units: &mut [Unit]) -> Json {
    let mut answers = vec![];
    for unit in units {
        for i in 0..unit.inputs.len() {
            let value = evaluate(unit, unit.inputs[i].clone());
            answers.push(if value == Value::Undefined {
                Json::Null
            } else {
                let text = value.to_json_str().expect("JSON");
                serde_json::from_str(&text).expect("JSON")
            });
        }
    }
    json!({ "answers": answers })
}

fn rss_kb() -> u64 {
    read("/proc/self/status")
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().split(' ').next()?.parse().ok())
        .unwrap_or(0)
}

fn p50(count: u64, mut sample: impl FnMut() -> f64) -> Json {
    let mut all: Vec<f64> = (0..count).map(|_| sample()).collect();
    all.sort_by(f64::total_cmp);
    json!({ "p50": all[all.len() / 2] })
}

fn threads(units: &[Unit], count: u64, ms: u64) -> Json {
    let start = Instant::now();
    let total: usize = std::thread::scope(|scope| {
        let all: Vec<_> = (0..count)
            .map(|_| {
                let mut own: Vec<Unit> = units.iter().map(copy).collect();
                scope.spawn(move || {
                    let mut n = 0;
                    while start.elapsed() < Duration::from_millis(ms) {
                        n += pass(&mut own, false);
                    }
                    n
                })
            })
            .collect();
        all.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    json!({ "per_second": total as f64 / start.elapsed().as_secs_f64() })
}

/// Engines are cloned, as regorus' own benchmark does; inputs are its own.
fn copy(unit: &Unit) -> Unit {
    Unit {
        policy: unit.policy.clone(),
        text: unit.text.clone(),
        rule: unit.rule.clone(),
        engine: unit.engine.clone(),
        texts: unit.texts.clone(),
        inputs: unit.texts.iter().map(|text| parse(text)).collect(),
    }
}

fn obey(order: &Json, units: &mut Vec<Unit>) -> Json {
    let count = order["count"].as_u64().unwrap_or(1);
    match order["do"].as_str().unwrap() {
        "load" => {
            let start = Instant::now();
            *units = order["units"].as_array().unwrap().iter().map(load_unit).collect();
            json!({ "ns": start.elapsed().as_nanos() as u64, "rss_kb": rss_kb() })
        }
        "answer" => answer(units),
        "run" => {
            let batch = order["batch"].as_u64().unwrap_or(1);
            let as_text = order["json"].as_bool().unwrap_or(false);
            p50(count, || {
                let start = Instant::now();
                let n: usize = (0..batch).map(|_| pass(units, as_text)).sum();
                start.elapsed().as_nanos() as f64 / n as f64
            })
        }
        "threads" => threads(units, order["threads"].as_u64().unwrap(), order["ms"].as_u64().unwrap()),
        "compile" => p50(count, || {
            let start = Instant::now();
            for unit in units.iter() {
                let mut engine = new_engine(&unit.policy, &unit.text, None);
                // what prepares an engine is its first evaluation
                engine.set_input(unit.inputs[0].clone());
                let _ = engine.eval_rule(unit.rule.clone());
            }
            start.elapsed().as_nanos() as f64
        }),
        _ => json!({ "rss_kb": rss_kb() }),
    }
}

fn eval_once(args: &[String]) {
    let mut engine = new_engine(&args[0], &read(&args[0]), None);
    engine.set_input(parse(&read(&args[1])));
    let results = engine.eval_query(args[2].clone(), false).expect("query");
    println!("{}", serde_json::to_string_pretty(&results).unwrap());
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().is_some_and(|arg| arg == "eval") {
        return eval_once(&args[1..]);
    }
    let mut units = vec![];
    for line in std::io::stdin().lock().lines() {
        let order = serde_json::from_str(&line.unwrap()).expect("order");
        println!("{}", obey(&order, &mut units));
        std::io::stdout().flush().unwrap();
    }
}
