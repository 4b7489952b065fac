// hub-rs reads the description of a hub and the casts of a fid.

use hub_rs::hub_service_client::HubServiceClient;
use hub_rs::{message_data::Body, FidRequest, HubInfoRequest};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let world: serde_json::Value = serde_json::from_str(&std::env::args().nth(1).unwrap())?;
    let address = format!("http://{}", world["grpc"].as_str().unwrap());
    let mut hub = HubServiceClient::connect(address).await?;
    let info = hub.get_info(HubInfoRequest { db_stats: true }).await?.into_inner();
    let fid = world["fid"].as_u64().unwrap();
    let request = FidRequest { fid, ..Default::default() };
    let messages = hub.get_casts_by_fid(request).await?.into_inner().messages;
    let texts: Vec<String> = messages
        .into_iter()
        .filter_map(|message| match message.data?.body? {
            Body::CastAddBody(cast) => Some(cast.text),
            _ => None,
        })
        .collect();
    println!("{}", serde_json::json!({ "version": info.version, "texts": texts }));
    Ok(())
}
